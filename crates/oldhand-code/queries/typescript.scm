; What TypeScript adds.

(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @body) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body name: (_) @name @definition.field)
(enum_body (enum_assignment name: (_) @name) @definition.field)
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_method_signature name: (property_identifier) @name) @definition.method
(internal_module name: (identifier) @name body: (_) @body) @definition.module
(module name: (identifier) @name body: (_) @body) @definition.module
(function_signature name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name return_type: (type_annotation (_) @value_type) body: (_) @body) @definition.function
(function_signature name: (identifier) @name return_type: (type_annotation (_) @value_type)) @definition.function
(method_definition name: (property_identifier) @name return_type: (type_annotation (_) @value_type) body: (_) @body) @definition.method
(property_signature name: (property_identifier) @name) @definition.field
(property_signature name: (property_identifier) @name type: (type_annotation (_) @value_type)) @definition.field
(method_signature name: (property_identifier) @name) @definition.method
(method_signature name: (property_identifier) @name return_type: (type_annotation (_) @value_type)) @definition.method
(public_field_definition name: (_) @name) @definition.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (type_annotation (_) @value_type)) @definition.field
(public_field_definition name: (_) @name type: (type_annotation (_) @value_type)) @definition.field
(public_field_definition name: (_) @name !type value: (new_expression constructor: (identifier) @value_type)) @definition.field
(public_field_definition (accessibility_modifier) @private (#eq? @private "private"))
(method_definition (accessibility_modifier) @private (#eq? @private "private"))
(public_field_definition name: (private_property_identifier) @private)

((variable_declarator name: (identifier) @name type: (type_annotation (_) @value_type) !value) @definition.variable (#set! place "top"))
((variable_declarator name: (identifier) @name type: (type_annotation (_) @value_type) value: [(object) (call_expression) (new_expression) (identifier) (as_expression) (member_expression) (array) (null)]) @definition.variable (#set! place "top"))
((variable_declarator name: (identifier) @name !type value: (new_expression constructor: (identifier) @value_type)) @definition.variable (#set! place "top"))

; Parameters, which callers and implementations are held against
(function_declaration name: (identifier) @name parameters: (_) @parameters) @definition.function
(function_signature name: (identifier) @name parameters: (_) @parameters) @definition.function
(method_definition name: (property_identifier) @name parameters: (_) @parameters) @definition.method
(method_signature name: (property_identifier) @name parameters: (_) @parameters) @definition.method
(type_alias_declaration name: (_) @name value: (function_type parameters: (_) @parameters)) @definition.type
(type_alias_declaration name: (_) @name value: (function_type return_type: (_) @value_type)) @definition.type
(property_signature name: (property_identifier) @name type: (type_annotation (function_type parameters: (_) @parameters))) @definition.field
(property_signature name: (property_identifier) @name type: (type_annotation (function_type return_type: (_) @value_type))) @definition.field
((variable_declarator name: (identifier) @name value: (arrow_function parameters: (_) @parameters)) @definition.function (#set! place "top"))
((variable_declarator name: (identifier) @name value: (arrow_function return_type: (type_annotation (_) @value_type))) @definition.function (#set! place "top"))
((variable_declarator name: (identifier) @name type: (type_annotation (_) @value_type) value: [(arrow_function) (function_expression)]) @definition.function (#set! place "top"))
((variable_declarator name: (identifier) @name !type value: (as_expression (_) (_) @value_type)) @definition.constant (#set! place "top"))

; What a function gives back where no type says so: a call, a local, or an object written out
((function_declaration name: (identifier) @name !return_type body: (statement_block (return_statement (call_expression function: [(identifier) (member_expression)] @value_type)))) @definition.function)
((function_declaration name: (identifier) @name !return_type body: (statement_block (return_statement [(identifier) (member_expression) (subscript_expression)] @value_path))) @definition.function)
((function_declaration name: (identifier) @name !return_type body: (statement_block (return_statement (as_expression (_) (_) @value_type)))) @definition.function)
((variable_declarator name: (identifier) @name value: (arrow_function !return_type body: (call_expression function: [(identifier) (member_expression)] @value_type))) @definition.function (#set! place "top"))
(function_declaration !return_type body: (statement_block (return_statement (object (pair key: (property_identifier) @name) @definition.field))))
(function_declaration !return_type body: (statement_block (return_statement (object (pair key: (property_identifier) @name value: (as_expression (_) (_) @value_type)) @definition.field))))
(function_declaration !return_type body: (statement_block (return_statement (object (pair key: (property_identifier) @name value: [(identifier) (member_expression) (subscript_expression) (call_expression) (non_null_expression)] @value_path) @definition.field))))
(function_declaration !return_type body: (statement_block (return_statement (object (shorthand_property_identifier) @name @definition.field @value_path))))

; `declare` and `declare global`
(ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.variable))
(ambient_declaration "global" (statement_block (_ (variable_declarator name: (identifier) @name) @definition.variable)))
(ambient_declaration "global" @name (statement_block) @body) @definition.module
(ambient_declaration (module name: (string) @name body: (_) @body) @definition.module)

; Scopes and locals
[
  (interface_declaration)
  (type_alias_declaration)
  (function_signature)
  (method_signature)
  (function_type)
  (abstract_class_declaration)
  (conditional_type)
] @scope
(type_parameter name: (type_identifier) @local)
(type_parameter name: (type_identifier) @local constraint: (constraint (_) @local.type))
(infer_type (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @local.type))
(variable_declarator name: (identifier) @local type: (type_annotation (_) @local.type))
(variable_declarator name: (identifier) @local value: (as_expression (_) (_) @local.type))
(variable_declarator name: (identifier) @local value: (non_null_expression [(identifier) (member_expression) (subscript_expression)] @local.path))
(variable_declarator name: (identifier) @local value: (non_null_expression (call_expression function: (_) @local.call)))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @local @use) value: (non_null_expression) @local.holder @receiver)
(variable_declarator name: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @use)) value: (non_null_expression) @local.holder @receiver)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @use)) value: (non_null_expression) @receiver)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @local.member value: (identifier) @local)) value: (non_null_expression) @local.holder)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @through value: (object_pattern (shorthand_property_identifier_pattern) @local @use))) value: (non_null_expression) @local.holder @receiver)
; One of several values
(variable_declarator name: (identifier) @local value: (ternary_expression consequence: [(identifier) (member_expression) (subscript_expression) (call_expression)] @local.path))
(variable_declarator name: (identifier) @local value: (ternary_expression alternative: [(identifier) (member_expression) (subscript_expression) (call_expression)] @local.path))
(variable_declarator name: (identifier) @local value: (binary_expression left: [(identifier) (member_expression) (subscript_expression) (call_expression)] @local.path operator: ["||" "??"]))
(variable_declarator name: (identifier) @local value: (binary_expression operator: "&&" right: [(identifier) (member_expression) (subscript_expression) (call_expression)] @local.path))
(variable_declarator name: (identifier) @local value: (parenthesized_expression (assignment_expression right: [(identifier) (member_expression) (call_expression)] @local.path)))
(variable_declarator name: (identifier) @local value: (parenthesized_expression (assignment_expression right: (new_expression constructor: (identifier) @local.type))))
; A local function that only calls another
(variable_declarator name: (identifier) @local value: (arrow_function !return_type body: (call_expression function: [(identifier) (member_expression)] @local.path)))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) type: (type_annotation (_) @local.holder.type @receiver.type))
(required_parameter pattern: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @use)) type: (type_annotation (_) @local.holder.type @receiver.type))
(required_parameter pattern: (object_pattern (pair_pattern key: (property_identifier) @use)) type: (type_annotation (_) @receiver.type))

; Keys of an object whose type is said
(variable_declarator type: (type_annotation (_) @receiver.type) value: (object (pair key: (property_identifier) @key)))
(variable_declarator type: (type_annotation (_) @receiver.type) value: (object (shorthand_property_identifier) @key))
(variable_declarator type: (type_annotation (_) @receiver.type) value: (object (method_definition name: (property_identifier) @key)))
(public_field_definition type: (type_annotation (_) @receiver.type) value: (object (pair key: (property_identifier) @key)))
(lookup_type (type_identifier) @receiver.type (literal_type (string (string_fragment) @key)))

; Parameters without a type: the function type around says what they are
((variable_declarator type: (type_annotation (_) @local.type) value: (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "0"))
((variable_declarator type: (type_annotation (_) @local.type) value: (function_expression parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "0"))
((variable_declarator type: (type_annotation (_) @local.holder.type @receiver.type) value: (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) !type)))) (#set! parameter "0"))
((variable_declarator type: (type_annotation (_) @local.type) value: (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "1"))
((variable_declarator type: (type_annotation (_) @local.type) value: (function_expression parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "1"))
((variable_declarator type: (type_annotation (_) @local.holder.type @receiver.type) value: (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) !type)))) (#set! parameter "1"))
((variable_declarator type: (type_annotation (_) @local.type) value: (arrow_function parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "2"))
((variable_declarator type: (type_annotation (_) @local.type) value: (function_expression parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (identifier) @local !type)))) (#set! parameter "2"))
((variable_declarator type: (type_annotation (_) @local.holder.type @receiver.type) value: (arrow_function parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) !type)))) (#set! parameter "2"))
((variable_declarator type: (type_annotation (_) @local.type) value: (arrow_function parameter: (identifier) @local)) (#set! parameter "0"))
; What is called for each of a list is given one of them
(call_expression function: (member_expression object: (_) @local.path property: (property_identifier) @ignore) arguments: (arguments . (arrow_function parameter: (identifier) @local)) (#any-of? @ignore "forEach" "map" "filter" "some" "every" "find" "findIndex" "flatMap" "sort"))
(call_expression function: (member_expression object: (_) @local.path property: (property_identifier) @ignore) arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type)))) (#any-of? @ignore "forEach" "map" "filter" "some" "every" "find" "findIndex" "flatMap" "sort"))
(call_expression function: (member_expression object: (_) @local.holder @receiver property: (property_identifier) @ignore) arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local @use) !type)))) (#any-of? @ignore "forEach" "map" "filter" "some" "every" "find" "findIndex" "flatMap" "sort"))

; Parameters of what is given to a function
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "0") (#set! parameter "0"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "0") (#set! parameter "1"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (arrow_function parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "0") (#set! parameter "2"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (arrow_function parameter: (identifier) @local))) (#set! argument "0") (#set! parameter "0"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "1") (#set! parameter "0"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "1") (#set! parameter "1"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (arrow_function parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "1") (#set! parameter "2"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (arrow_function parameter: (identifier) @local))) (#set! argument "1") (#set! parameter "0"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (_) . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "2") (#set! parameter "0"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (_) . (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "2") (#set! parameter "1"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (_) . (arrow_function parameters: (formal_parameters . (_) . (_) . (required_parameter pattern: (identifier) @local !type))))) (#set! argument "2") (#set! parameter "2"))
((call_expression function: [(identifier) (member_expression)] @local.path arguments: (arguments . (_) . (_) . (arrow_function parameter: (identifier) @local))) (#set! argument "2") (#set! parameter "0"))

; Keys of an object that is given to a function, or given back by one
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (object (pair key: (property_identifier) @key)))) (#set! argument "0"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (object (shorthand_property_identifier) @key))) (#set! argument "0"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (object (method_definition name: (property_identifier) @key)))) (#set! argument "0"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (object (pair key: (property_identifier) @key)))) (#set! argument "1"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (object (shorthand_property_identifier) @key))) (#set! argument "1"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (object (method_definition name: (property_identifier) @key)))) (#set! argument "1"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (_) . (object (pair key: (property_identifier) @key)))) (#set! argument "2"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (_) . (object (shorthand_property_identifier) @key))) (#set! argument "2"))
((call_expression function: [(identifier) (member_expression)] @receiver arguments: (arguments . (_) . (_) . (object (method_definition name: (property_identifier) @key)))) (#set! argument "2"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (object (pair key: (property_identifier) @key)))) (#set! argument "0"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (object (shorthand_property_identifier) @key))) (#set! argument "0"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (object (method_definition name: (property_identifier) @key)))) (#set! argument "0"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (_) . (object (pair key: (property_identifier) @key)))) (#set! argument "1"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (_) . (object (shorthand_property_identifier) @key))) (#set! argument "1"))
((new_expression constructor: (identifier) @receiver arguments: (arguments . (_) . (object (method_definition name: (property_identifier) @key)))) (#set! argument "1"))
(function_declaration return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (pair key: (property_identifier) @key)))))
(method_definition return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (pair key: (property_identifier) @key)))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (pair key: (property_identifier) @key)))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (parenthesized_expression (object (pair key: (property_identifier) @key))))
(function_declaration return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (shorthand_property_identifier) @key))))
(method_definition return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (shorthand_property_identifier) @key))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (shorthand_property_identifier) @key))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (parenthesized_expression (object (shorthand_property_identifier) @key)))
(function_declaration return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (method_definition name: (property_identifier) @key)))))
(method_definition return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (method_definition name: (property_identifier) @key)))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (statement_block (return_statement (object (method_definition name: (property_identifier) @key)))))
(arrow_function return_type: (type_annotation (_) @receiver.type) body: (parenthesized_expression (object (method_definition name: (property_identifier) @key))))

; Imports and exports
(export_statement "default" @export.name declaration: [(interface_declaration name: (_) @export.local) (abstract_class_declaration name: (_) @export.local) (function_signature name: (_) @export.local)])
(import_statement (import_require_clause (identifier) @import.local source: (string) @import.source) (#set! form "module"))

; References
(type_identifier) @type
(nested_type_identifier module: (_) @receiver name: (type_identifier) @type)
(union_type (type_identifier) @alias)
(union_type (generic_type name: (type_identifier) @alias))
(intersection_type (type_identifier) @alias)
(intersection_type (generic_type name: (type_identifier) @alias))
(type_alias_declaration value: (type_identifier) @alias)
(type_alias_declaration value: (generic_type name: (type_identifier) @alias))
(class_heritage (extends_clause value: (identifier) @extends))
(class_heritage (extends_clause value: (member_expression object: (_) @receiver property: (property_identifier) @extends)))
(class_heritage (implements_clause (type_identifier) @implements))
(class_heritage (implements_clause (generic_type name: (type_identifier) @implements)))
(extends_type_clause type: (type_identifier) @extends)
(extends_type_clause type: (generic_type name: (type_identifier) @extends))

; Types that only change another: what they are made of counts
(extends_type_clause type: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @extends)) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(union_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(intersection_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(type_alias_declaration value: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(extends_type_clause type: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @extends))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(union_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @alias))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(intersection_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @alias))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(type_alias_declaration value: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @alias))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(extends_type_clause type: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @extends)))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(union_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(intersection_type (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
(type_alias_declaration value: (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (generic_type name: (type_identifier) @ignore type_arguments: (type_arguments . (type_identifier) @alias)))) (#any-of? @ignore "Required" "Partial" "Readonly" "Omit" "Pick" "Exclude" "Extract" "NonNullable"))
