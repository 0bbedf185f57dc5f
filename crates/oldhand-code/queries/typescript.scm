; What TypeScript adds.

(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @body) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body name: (_) @name @definition.field)
(enum_body (enum_assignment name: (_) @name) @definition.field)
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_method_signature name: (property_identifier) @name) @definition.method
(internal_module name: (identifier) @name body: (_) @body) @definition.module
(module name: (identifier) @name body: (_) @body) @definition.module
(function_signature name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name return_type: (type_annotation (_) @value_type) body: (_) @body) @definition.function
(function_signature name: (identifier) @name return_type: (type_annotation (_) @value_type)) @definition.function
(method_definition name: (property_identifier) @name return_type: (type_annotation (_) @value_type) body: (_) @body) @definition.method
(property_signature name: (property_identifier) @name) @definition.field
(property_signature name: (property_identifier) @name type: (type_annotation (_) @value_type)) @definition.field
(method_signature name: (property_identifier) @name) @definition.method
(method_signature name: (property_identifier) @name return_type: (type_annotation (_) @value_type)) @definition.method
(public_field_definition name: (_) @name) @definition.field
(public_field_definition name: (_) @name type: (type_annotation (_) @value_type)) @definition.field
(public_field_definition name: (_) @name !type value: (new_expression constructor: (identifier) @value_type)) @definition.field
(public_field_definition (accessibility_modifier) @private (#eq? @private "private"))
(method_definition (accessibility_modifier) @private (#eq? @private "private"))
(public_field_definition name: (private_property_identifier) @private)

((variable_declarator name: (identifier) @name type: (type_annotation (_) @value_type) !value) @definition.variable (#set! place "top"))
((variable_declarator name: (identifier) @name type: (type_annotation (_) @value_type) value: [(object) (call_expression) (new_expression) (identifier) (as_expression) (member_expression) (array) (null)]) @definition.variable (#set! place "top"))
((variable_declarator name: (identifier) @name !type value: (new_expression constructor: (identifier) @value_type)) @definition.variable (#set! place "top"))

; `declare` and `declare global`
(ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.variable))
(ambient_declaration "global" (statement_block (_ (variable_declarator name: (identifier) @name) @definition.variable)))
(ambient_declaration "global" @name (statement_block) @body) @definition.module
(ambient_declaration (module name: (string) @name body: (_) @body) @definition.module)

; Scopes and locals
[
  (interface_declaration)
  (type_alias_declaration)
  (function_signature)
  (method_signature)
  (function_type)
  (abstract_class_declaration)
  (conditional_type)
] @scope
(type_parameter name: (type_identifier) @local)
(infer_type (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(variable_declarator name: (identifier) @local type: (type_annotation (_) @local.type))
(variable_declarator name: (identifier) @local value: (as_expression (_) (_) @local.type))
(variable_declarator name: (identifier) @local value: (non_null_expression [(identifier) (member_expression) (subscript_expression)] @local.path))
(variable_declarator name: (identifier) @local value: (non_null_expression (call_expression function: (_) @local.call)))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) type: (type_annotation (_) @local.holder.type @receiver.type))
(required_parameter pattern: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @use)) type: (type_annotation (_) @local.holder.type @receiver.type))
(required_parameter pattern: (object_pattern (pair_pattern key: (property_identifier) @use)) type: (type_annotation (_) @receiver.type))

; Keys of an object whose type is said
(variable_declarator type: (type_annotation (_) @receiver.type) value: (object (pair key: (property_identifier) @use)))
(public_field_definition type: (type_annotation (_) @receiver.type) value: (object (pair key: (property_identifier) @use)))

; Imports and exports
(import_statement (import_require_clause (identifier) @import.local source: (string) @import.source) (#set! form "module"))

; References
(type_identifier) @type
(nested_type_identifier module: (_) @receiver name: (type_identifier) @type)
(union_type (type_identifier) @alias)
(union_type (generic_type name: (type_identifier) @alias))
(intersection_type (type_identifier) @alias)
(intersection_type (generic_type name: (type_identifier) @alias))
(type_alias_declaration value: (type_identifier) @alias)
(type_alias_declaration value: (generic_type name: (type_identifier) @alias))
(class_heritage (extends_clause value: (identifier) @extends))
(class_heritage (extends_clause value: (member_expression object: (_) @receiver property: (property_identifier) @extends)))
(class_heritage (implements_clause (type_identifier) @implements))
(class_heritage (implements_clause (generic_type name: (type_identifier) @implements)))
(extends_type_clause type: (type_identifier) @extends)
(extends_type_clause type: (generic_type name: (type_identifier) @extends))
