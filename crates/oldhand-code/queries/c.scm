; C, and what C++ shares with it.

(comment) @comment

(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.field
(field_declaration type: (_) @value_type declarator: (field_identifier) @name) @definition.field
(type_definition declarator: (type_identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.constant
(preproc_function_def name: (identifier) @name) @definition.macro
(translation_unit (declaration type: (_) @value_type declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(function_definition (storage_class_specifier) @private (#eq? @private "static"))

(preproc_include path: (_) @import.source (#set! form "all"))

[(function_definition) (compound_statement)] @scope
(parameter_declaration declarator: (identifier) @local)
(init_declarator declarator: (identifier) @local)

(type_identifier) @type
(call_expression function: (identifier) @call)
