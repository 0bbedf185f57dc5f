; What JavaScript and TypeScript share.

(comment) @comment
(decorator) @attribute

; Definitions

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name body: (_) @body) @definition.method
(method_definition name: (private_property_identifier) @private)

; Only names at the top of a file are definitions; the others are local.
((variable_declarator name: (identifier) @name) @definition.variable (#set! place "top"))
((lexical_declaration "const" (variable_declarator name: (identifier) @name) @definition.constant) (#set! place "top"))
((variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body)) @definition.function (#set! place "top"))
((variable_declarator name: (identifier) @name value: (function_expression body: (_) @body)) @definition.function (#set! place "top"))
((variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class (#set! place "top"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name @definition.constant)) (#set! place "top"))
((variable_declarator name: (array_pattern (identifier) @name @definition.constant)) (#set! place "top"))

((variable_declarator name: (identifier) @name value: (call_expression function: (identifier) @value_type)) @definition.constant (#set! place "top"))

; Members of an object that has a name at the top of a file.
((variable_declarator value: (object (pair key: (property_identifier) @name) @definition.field)) (#set! place "top"))

(export_statement value: (class name: (_) @name body: (_) @body) @definition.class)

; Tests

(call_expression
  function: (identifier) @ignore
  arguments: (arguments . (string (string_fragment) @name) . [(arrow_function) (function_expression)])
  (#any-of? @ignore "describe" "it" "test" "suite")) @definition.test
(call_expression
  function: (member_expression object: (identifier) @ignore)
  arguments: (arguments . (string (string_fragment) @name) . [(arrow_function) (function_expression)])
  (#any-of? @ignore "describe" "it" "test" "suite")) @definition.test

; Scopes and locals

[
  (function_declaration)
  (generator_function_declaration)
  (function_expression)
  (arrow_function)
  (method_definition)
  (statement_block)
  (for_statement)
  (for_in_statement)
  (catch_clause)
  (class_declaration)
] @scope

(function_expression name: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
(variable_declarator name: (identifier) @local)
(variable_declarator name: (identifier) @local value: (new_expression constructor: (identifier) @local.type))
(variable_declarator name: (identifier) @local value: (call_expression function: (identifier) @local.call))
(variable_declarator name: (identifier) @local value: (await_expression (call_expression function: (identifier) @local.call)))
(variable_declarator name: (identifier) @local value: (call_expression function: (member_expression) @local.call))
(variable_declarator name: (identifier) @local value: [(identifier) (member_expression) (subscript_expression)] @local.path)
(for_in_statement left: (identifier) @local right: [(identifier) (member_expression)] @local.path)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @local @use) value: [(identifier) (member_expression) (subscript_expression) (await_expression) (call_expression) (this)] @local.holder @receiver)
(variable_declarator name: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @use)) value: [(identifier) (member_expression) (subscript_expression) (await_expression) (call_expression) (this)] @local.holder @receiver)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @use)) value: [(identifier) (member_expression) (subscript_expression) (await_expression) (call_expression) (this)] @receiver)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @local.member value: (identifier) @local)) value: [(identifier) (member_expression) (subscript_expression) (await_expression) (call_expression) (this)] @local.holder)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @through value: (object_pattern (shorthand_property_identifier_pattern) @local @use))) value: [(identifier) (member_expression) (subscript_expression) (await_expression) (call_expression) (this)] @local.holder @receiver)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)

; Imports

(import_statement source: (string) @import.source (#set! form "effect"))
(import_statement (import_clause (identifier) @import.local) source: (string) @import.source (#set! form "default"))
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name !alias))) source: (string) @import.source (#set! form "named"))
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.local))) source: (string) @import.source (#set! form "named"))
(import_statement (import_clause (namespace_import (identifier) @import.local)) source: (string) @import.source (#set! form "module"))

(call_expression function: (import) arguments: (arguments . (string) @import.source) (#set! form "effect"))
(call_expression
  function: (identifier) @ignore arguments: (arguments . (string) @import.source .)
  (#eq? @ignore "require") (#set! form "effect"))
(variable_declarator
  name: (identifier) @import.local
  value: (call_expression function: (identifier) @ignore arguments: (arguments . (string) @import.source .))
  (#eq? @ignore "require") (#set! form "module"))
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression function: (identifier) @ignore arguments: (arguments . (string) @import.source .))
  (#eq? @ignore "require") (#set! form "named"))

; Exports

(export_statement declaration: (_) @public)
(export_statement value: (class) @public)
(export_statement source: (string) @import.source (#set! form "effect"))
(export_statement "*" . "from" source: (string) @import.source (#set! form "all") (#set! reach "reexported"))
(export_statement (namespace_export (identifier) @import.local) source: (string) @import.source (#set! form "module") (#set! reach "reexported"))
(export_statement (export_clause (export_specifier name: (_) @import.name !alias)) source: (string) @import.source (#set! form "named") (#set! reach "reexported"))
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_) @import.local)) source: (string) @import.source (#set! form "named") (#set! reach "reexported"))
(export_statement (export_clause (export_specifier name: (_) @export.local !alias)) !source)
(export_statement (export_clause (export_specifier name: (_) @export.local alias: (_) @export.name)) !source)
(export_statement "default" @export.name value: (identifier) @export.local)
(export_statement "default" @export.name declaration: [(function_declaration name: (_) @export.local) (generator_function_declaration name: (_) @export.local) (class_declaration name: (_) @export.local)])
(expression_statement (assignment_expression
  left: (member_expression object: (identifier) @ignore property: (property_identifier) @export.name)
  right: (identifier) @export.local)
  (#eq? @ignore "exports"))

; References

(identifier) @use
(shorthand_property_identifier) @use
(member_expression object: (_) @receiver property: (property_identifier) @use)
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @receiver property: (property_identifier) @call))
(new_expression constructor: (identifier) @construct)
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @construct))
