; What JavaScript spells differently from TypeScript.

(field_definition property: (_) @name) @definition.field
(field_definition property: (private_property_identifier) @private)
(formal_parameters (identifier) @local)
(class_heritage (identifier) @extends)
(class_heritage (member_expression object: (_) @receiver property: (property_identifier) @extends))
