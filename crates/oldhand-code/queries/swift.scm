; Swift: definitions and imports.

(comment) @comment
(multiline_comment) @comment
(attribute) @attribute

(class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type) @owner body: (_) @owner.within)
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(function_declaration name: (simple_identifier) @name body: (_) @body) @definition.function
(init_declaration name: "init" @name body: (_) @body) @definition.method
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_entry name: (simple_identifier) @name) @definition.field
(typealias_declaration name: (type_identifier) @name) @definition.type
((visibility_modifier) @public (#starts-with? @public "public" "open"))
((visibility_modifier) @private (#starts-with? @private "private" "fileprivate"))

(import_declaration (identifier) @import.source (#set! form "all"))

(user_type (type_identifier) @type)
(call_expression (simple_identifier) @call)
(inheritance_specifier inherits_from: (user_type (type_identifier) @extends))
