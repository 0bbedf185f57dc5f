; PHP: definitions, imports, inheritance, calls.

(comment) @comment
(attribute_list) @attribute
(namespace_definition name: (_) @package)

(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.field
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name) @definition.method
(method_declaration name: (name) @name body: (_) @body) @definition.method
(method_declaration name: (name) @name return_type: (_) @value_type body: (_) @body) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(const_declaration (const_element (name) @name)) @definition.constant
((visibility_modifier) @public (#eq? @public "public"))
((visibility_modifier) @private (#eq? @private "private"))

(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @import.source !alias) (#set! form "path"))
(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @import.source alias: (name) @import.local) (#set! form "path"))
(namespace_use_declaration (namespace_name) @import.prefix body: (namespace_use_group) @import.within)
(namespace_use_group (namespace_use_clause [(qualified_name) (name)] @import.source !alias) (#set! form "path"))
(require_expression (string (string_content) @import.source) (#set! form "all"))
(require_once_expression (string (string_content) @import.source) (#set! form "all"))
(include_expression (string (string_content) @import.source) (#set! form "all"))
(include_once_expression (string (string_content) @import.source) (#set! form "all"))
(require_once_expression (binary_expression right: (string (string_content) @import.source)) (#set! form "all"))
(require_expression (binary_expression right: (string (string_content) @import.source)) (#set! form "all"))

(base_clause (name) @extends)
(class_interface_clause (name) @implements)
(named_type (name) @type)
(object_creation_expression (name) @construct)
(function_call_expression function: (name) @call)
(scoped_call_expression scope: (name) @receiver name: (name) @call)
(member_call_expression object: (_) @receiver name: (name) @call)
