; Python.

(comment) @comment
(decorator) @attribute
(module . (expression_statement (string) @comment))

; Definitions
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(class_definition name: (identifier) @name body: (block . (expression_statement (string) @doc))) @definition.class
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(function_definition name: (identifier) @name body: (block . (expression_statement (string) @doc))) @definition.function
(function_definition name: (identifier) @name return_type: (type) @value_type) @definition.function
((function_definition name: (identifier) @name) @definition.test (#starts-with? @name "test_"))
((assignment left: (identifier) @name) @definition.variable (#set! place "top"))
((assignment left: (identifier) @name right: (call function: [(identifier) (attribute)] @value_type)) @definition.variable (#set! place "top"))
((assignment left: (identifier) @name type: (type) @value_type) @definition.variable (#set! place "top"))
((assignment left: (pattern_list (identifier) @name @definition.variable)) (#set! place "top"))
((assignment left: (attribute object: (identifier) @ignore attribute: (identifier) @name)) @definition.field (#eq? @ignore "self"))
((assignment left: (attribute object: (identifier) @ignore attribute: (identifier) @name) right: (identifier) @value_path) @definition.field (#eq? @ignore "self"))
((assignment left: (attribute object: (identifier) @ignore attribute: (identifier) @name) right: (call function: [(identifier) (attribute)] @value_type)) @definition.field (#eq? @ignore "self"))
((assignment left: (attribute object: (identifier) @ignore attribute: (identifier) @name) type: (type) @value_type) @definition.field (#eq? @ignore "self"))
(type_alias_statement left: (type (identifier) @name)) @definition.type

; Scopes and locals
[(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(typed_parameter (identifier) @local type: (type) @local.type)
(default_parameter name: (identifier) @local)
(typed_default_parameter name: (identifier) @local type: (type) @local.type)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local)
(assignment left: (identifier) @local type: (type) @local.type)
(assignment left: (identifier) @local right: (call function: [(identifier) (attribute)] @local.call))
(assignment left: (identifier) @local right: (await (call function: [(identifier) (attribute)] @local.call)))
(assignment left: (identifier) @local right: [(identifier) (attribute) (subscript)] @local.path)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern (call function: [(identifier) (attribute)] @local.call) alias: (as_pattern_target (identifier) @local))
(as_pattern_target (identifier) @local)
(except_clause (as_pattern [(identifier) (attribute)] @local.type alias: (as_pattern_target (identifier) @local)))
(with_item (as_pattern [(identifier) (attribute)] @local.path alias: (as_pattern_target (identifier) @local)))
(named_expression name: (identifier) @local)

; Imports: every imported name is an attribute of the module.
(import_statement name: (dotted_name) @import.source @import.local (#set! form "module") (#set! reach "visible"))
(import_statement name: (aliased_import name: (dotted_name) @import.source alias: (identifier) @import.local) (#set! form "module") (#set! reach "visible"))
(import_from_statement module_name: (_) @import.source name: (dotted_name) @import.name (#set! form "named") (#set! reach "visible"))
(import_from_statement module_name: (_) @import.source name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.local) (#set! form "named") (#set! reach "visible"))
(import_from_statement module_name: (_) @import.source (wildcard_import) (#set! form "all") (#set! reach "visible"))

; Exports: what `from module import *` gives.
(assignment left: (identifier) @ignore right: [(list (string (string_content) @export.local)) (tuple (string (string_content) @export.local))] (#eq? @ignore "__all__"))
(augmented_assignment left: (identifier) @ignore right: (list (string (string_content) @export.local)) (#eq? @ignore "__all__"))

; References
(identifier) @use
(dotted_name (identifier) @ignore)
(keyword_argument name: (identifier) @ignore)
(attribute object: (_) @receiver attribute: (identifier) @use)
(call function: (identifier) @call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @call))
(type (identifier) @type)
(class_definition superclasses: (argument_list (identifier) @extends))
(class_definition superclasses: (argument_list (attribute object: (_) @receiver attribute: (identifier) @extends)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @extends)))
