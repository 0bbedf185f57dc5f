; What C++ adds to C.

(class_specifier name: (type_identifier) @name body: (_) @body) @definition.class
(namespace_definition name: (_) @name body: (_) @body) @definition.module
(function_definition declarator: (function_declarator declarator: (field_identifier) @name) body: (_) @body) @definition.method
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)) body: (_) @body) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @owner name: (identifier) @name))) body: (_) @body) @definition.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name))) body: (_) @body) @definition.method
(alias_declaration name: (type_identifier) @name) @definition.type

(base_class_clause (type_identifier) @extends)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @call))
(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @call))
(new_expression type: (type_identifier) @construct)
