; Java: definitions, imports, inheritance, calls.

(line_comment) @comment
(block_comment) @comment
(package_declaration (_) @package)

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.field
(method_declaration type: (_) @value_type name: (identifier) @name) @definition.method
(method_declaration type: (_) @value_type name: (identifier) @name body: (_) @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(field_declaration type: (_) @value_type declarator: (variable_declarator name: (identifier) @name)) @definition.field
(method_declaration (modifiers (marker_annotation name: (identifier) @ignore)) name: (identifier) @name body: (_) @body
  (#any-of? @ignore "Test" "ParameterizedTest")) @definition.test

(modifiers "public" @public)
(modifiers "private" @private)

((import_declaration (scoped_identifier scope: (_) @import.source name: (identifier) @import.name) .) (#set! form "named"))
(import_declaration (scoped_identifier) @import.source (asterisk) (#set! form "all"))

[(method_declaration) (constructor_declaration) (block) (lambda_expression)] @scope
(formal_parameter name: (identifier) @local)
(formal_parameter type: (_) @local.type name: (identifier) @local)
(local_variable_declaration type: (_) @local.type declarator: (variable_declarator name: (identifier) @local))
(lambda_expression parameters: (identifier) @local)

(type_identifier) @type
(superclass (type_identifier) @extends)
(superclass (generic_type (type_identifier) @extends))
(super_interfaces (type_list (type_identifier) @implements))
(super_interfaces (type_list (generic_type (type_identifier) @implements)))
(extends_interfaces (type_list (type_identifier) @extends))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @receiver name: (identifier) @call)
(object_creation_expression type: (type_identifier) @construct)
