; Go.

(comment) @comment
(package_clause (package_identifier) @package)

; Definitions
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_declaration name: (identifier) @name result: (_) @value_type) @definition.function
(function_declaration name: (identifier) @name result: (parameter_list . (parameter_declaration type: (_) @value_type))) @definition.function
((function_declaration name: (identifier) @name body: (_) @body) @definition.test (#first-word? @name "Test" "Benchmark" "Fuzz" "Example"))
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name body: (_) @body) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name result: (_) @value_type) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name result: (parameter_list . (parameter_declaration type: (_) @value_type))) @definition.method
(type_spec name: (type_identifier) @name type: (_) @value_type) @definition.type
(type_spec name: (type_identifier) @name type: (struct_type) @body) @definition.class
(type_spec name: (type_identifier) @name type: (interface_type) @body) @definition.interface
(type_alias name: (type_identifier) @name type: (_) @value_type) @definition.type
(field_declaration name: (field_identifier) @name type: (_) @value_type) @definition.field
(method_elem name: (field_identifier) @name) @definition.method
(method_elem name: (field_identifier) @name result: (_) @value_type) @definition.method
(method_elem name: (field_identifier) @name result: (parameter_list . (parameter_declaration type: (_) @value_type))) @definition.method
((const_spec name: (identifier) @name) @definition.constant (#not-eq? @name "_") (#set! place "top"))
((const_spec name: (identifier) @name type: (_) @value_type) @definition.constant (#not-eq? @name "_") (#set! place "top"))
((var_spec name: (identifier) @name) @definition.variable (#not-eq? @name "_") (#set! place "top"))
((var_spec name: (identifier) @name value: (expression_list . (call_expression function: (_) @value_type))) @definition.variable (#not-eq? @name "_") (#set! place "top"))
((var_spec name: (identifier) @name value: (expression_list . (composite_literal type: (_) @value_type))) @definition.variable (#not-eq? @name "_") (#set! place "top"))
((var_spec name: (identifier) @name value: (expression_list . (unary_expression operand: (composite_literal type: (_) @value_type)))) @definition.variable (#not-eq? @name "_") (#set! place "top"))
((var_spec name: (identifier) @name type: (_) @value_type) @definition.variable (#not-eq? @name "_") (#set! place "top"))

; Scopes and locals
[(function_declaration) (method_declaration) (func_literal) (block) (if_statement) (for_statement) (expression_case) (type_case) (communication_case)] @scope
(parameter_declaration name: (identifier) @local)
(parameter_declaration name: (identifier) @local type: (_) @local.type)
(variadic_parameter_declaration name: (identifier) @local type: (_) @local.type)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (call_expression function: [(identifier) (selector_expression)] @local.call)))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (composite_literal type: (_) @local.type)))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (unary_expression operand: (composite_literal type: (_) @local.type))))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . [(identifier) (selector_expression) (index_expression)] @local.path))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (unary_expression operand: [(identifier) (selector_expression) (index_expression)] @local.path)))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (type_assertion_expression type: (_) @local.type)))
(var_spec name: (identifier) @local)
(var_spec name: (identifier) @local type: (_) @local.type)
(var_spec name: (identifier) @local value: (expression_list . (composite_literal type: (_) @local.type)))
(var_spec name: (identifier) @local value: (expression_list . (call_expression function: [(identifier) (selector_expression)] @local.call)))
(const_spec name: (identifier) @local)
(range_clause left: (expression_list (identifier) @local))
; What stands in a list or map is named by the second variable.
(range_clause left: (expression_list . (_) . (identifier) @local) right: [(identifier) (selector_expression) (index_expression) (call_expression)] @local.path)
(type_switch_statement alias: (expression_list (identifier) @local))

; Imports
(import_spec path: (_) @import.source !name (#set! form "module") (#set! local "last"))
(import_spec name: (package_identifier) @import.local path: (_) @import.source (#set! form "module"))
(import_spec name: (dot) path: (_) @import.source (#set! form "all"))
(import_spec name: (blank_identifier) path: (_) @import.source (#set! form "effect"))

; References
(identifier) @use
(composite_literal type: [(type_identifier) (qualified_type) (generic_type) (struct_type)] @receiver.type body: (literal_value (keyed_element key: (literal_element (identifier) @use))))
(composite_literal type: [(slice_type) (array_type) (implicit_length_array_type)] @receiver.type body: (literal_value (literal_element (literal_value (keyed_element key: (literal_element (identifier) @use))))))
(composite_literal type: (map_type) @receiver.type body: (literal_value (keyed_element value: (literal_element (literal_value (keyed_element key: (literal_element (identifier) @use)))))))
(selector_expression operand: (_) @receiver field: (field_identifier) @use)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @call))
(type_identifier) @type
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @type)
(composite_literal type: (type_identifier) @construct)
(composite_literal type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @construct))
(field_declaration !name type: (type_identifier) @extends)
(field_declaration !name type: (qualified_type package: (package_identifier) @receiver name: (type_identifier) @extends))
(type_elem (type_identifier) @extends)
(type_elem (qualified_type package: (package_identifier) @receiver name: (type_identifier) @extends))
