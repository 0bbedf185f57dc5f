; Kotlin: definitions, imports, inheritance, calls.

(line_comment) @comment
(block_comment) @comment
(annotation) @attribute
(package_header (qualified_identifier) @package)

(class_declaration name: (identifier) @name) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(object_declaration name: (identifier) @name) @definition.class
(enum_entry (identifier) @name) @definition.field
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.field)
(class_parameter ["val" "var"] (identifier) @name) @definition.field
(type_alias type: (identifier) @name) @definition.type
((visibility_modifier) @private (#eq? @private "private"))

((import (qualified_identifier) @import.source .) (#set! form "path"))
(import (qualified_identifier) @import.source . "as" (identifier) @import.local (#set! form "path"))
(import (qualified_identifier) @import.source "*" (#set! form "all"))

(delegation_specifier (user_type (identifier) @implements))
(delegation_specifier (constructor_invocation (user_type (identifier) @extends)))
(user_type (identifier) @type)
(call_expression (identifier) @call)
