; C#: definitions, imports, inheritance, calls.

(comment) @comment
(attribute_list) @attribute
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.field
(method_declaration returns: (_) @value_type name: (identifier) @name) @definition.method
(method_declaration returns: (_) @value_type name: (identifier) @name body: (_) @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(property_declaration type: (_) @value_type name: (identifier) @name) @definition.field
(field_declaration (variable_declaration type: (_) @value_type (variable_declarator name: (identifier) @name))) @definition.field
(method_declaration (attribute_list (attribute name: (identifier) @ignore)) name: (identifier) @name body: (_) @body
  (#any-of? @ignore "Fact" "Theory" "Test" "TestMethod")) @definition.test

((modifier) @public (#eq? @public "public"))
((modifier) @private (#eq? @private "private"))

(using_directive !name (qualified_name) @import.source (#set! form "all"))
(using_directive !name (identifier) @import.source (#set! form "all"))
(using_directive name: (identifier) @import.local (qualified_name) @import.source (#set! form "path"))

[(method_declaration) (constructor_declaration) (block) (lambda_expression)] @scope
(parameter name: (identifier) @local)
(variable_declaration type: (_) @local.type (variable_declarator name: (identifier) @local))

(property_declaration type: (identifier) @type)
(parameter type: (identifier) @type)
(variable_declaration type: (identifier) @type)
(method_declaration returns: (identifier) @type)
(generic_name (identifier) @type)
(type_argument_list (identifier) @type)
(base_list (identifier) @extends)
(base_list (generic_name (identifier) @extends))
(invocation_expression function: (identifier) @call)
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (identifier) @call))
(object_creation_expression type: (identifier) @construct)
