; Scala: definitions, imports, inheritance, calls.

(comment) @comment
(block_comment) @comment
(annotation) @attribute
(package_clause name: (_) @package)

(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.interface
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.field
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(template_body (val_definition pattern: (identifier) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(type_definition name: (type_identifier) @name) @definition.type
((access_modifier) @private)

(import_declaration) @import.statement

(extends_clause (type_identifier) @extends)
(type_identifier) @type
(call_expression function: (identifier) @call)
