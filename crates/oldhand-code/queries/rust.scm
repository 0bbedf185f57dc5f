; Rust.

(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute

; Definitions
(struct_item name: (type_identifier) @name) @definition.class
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @definition.class
(union_item name: (type_identifier) @name body: (_) @body) @definition.class
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.field
(field_declaration name: (field_identifier) @name type: (_) @value_type) @definition.field
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_item name: (identifier) @name return_type: (_) @value_type) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name return_type: (_) @value_type) @definition.function
((attribute_item (attribute (identifier) @ignore)) . (function_item name: (identifier) @name body: (_) @body) @definition.test
  (#eq? @ignore "test"))
((attribute_item (attribute (scoped_identifier name: (identifier) @use))) . (function_item name: (identifier) @name body: (_) @body) @definition.test
  (#eq? @use "test"))
(const_item name: (identifier) @name type: (_) @value_type) @definition.constant
(static_item name: (identifier) @name type: (_) @value_type) @definition.constant
(type_item name: (type_identifier) @name type: (_) @value_type) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(macro_definition name: (identifier) @name) @definition.macro
((attribute_item (attribute (identifier) @ignore)) . (macro_definition name: (identifier) @name @public) @definition.macro
  (#eq? @ignore "macro_export"))
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(visibility_modifier) @public

(impl_item type: (_) @owner body: (_) @owner.within)

; Scopes and locals
[(function_item) (function_signature_item) (closure_expression) (block) (match_arm) (for_expression) (if_expression) (while_expression) (impl_item) (struct_item) (enum_item) (trait_item)] @scope
(type_parameter name: (type_identifier) @local)
(type_parameter name: (type_identifier) @local bounds: (trait_bounds) @local.type)
(where_predicate left: (type_identifier) @local bounds: (trait_bounds) @local.type)
(parameter pattern: (identifier) @local type: (_) @local.type)
(parameter pattern: (mut_pattern (identifier) @local) type: (_) @local.type)
(closure_parameters (identifier) @local)
(closure_parameters (parameter pattern: (identifier) @local type: (_) @local.type))
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local type: (_) @local.type)
(let_declaration pattern: (identifier) @local value: (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @local.call))
(let_declaration pattern: (identifier) @local value: (try_expression (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @local.call)))
(let_declaration pattern: (identifier) @local value: (await_expression (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @local.call)))
(let_declaration pattern: (identifier) @local value: (struct_expression name: (_) @local.type))
(let_declaration pattern: (identifier) @local value: (reference_expression value: (struct_expression name: (_) @local.type)))
(let_declaration pattern: (identifier) @local value: [(identifier) (field_expression) (index_expression) (try_expression) (generic_function)] @local.path)
(let_declaration pattern: (identifier) @local value: (reference_expression value: [(identifier) (field_expression) (index_expression)] @local.path))
(let_declaration pattern: (identifier) @local value: (reference_expression value: (call_expression function: [(identifier) (scoped_identifier) (field_expression)] @local.call)))
(let_declaration pattern: (tuple_struct_pattern type: (identifier) @ignore (identifier) @local) value: (_) @local.path (#any-of? @ignore "Some" "Ok"))
(let_condition pattern: (tuple_struct_pattern type: (identifier) @ignore (identifier) @local) value: (_) @local.path (#any-of? @ignore "Some" "Ok"))
(match_expression value: (_) @local.path body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern type: (identifier) @ignore (identifier) @local)))) (#any-of? @ignore "Some" "Ok"))
(struct_pattern type: (_) @local.holder.type (field_pattern name: (shorthand_field_identifier) @local))
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(slice_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
(match_pattern (identifier) @local)
(let_condition pattern: (identifier) @local)

; Imports. What a module uses is seen by the modules below it, so every `use` is visible.
(mod_item name: (identifier) @import.source @import.local !body (#set! form "module") (#set! reach "visible"))
(mod_item (visibility_modifier) name: (identifier) @import.source @import.local !body (#set! form "module") (#set! reach "reexported"))
; A module whose file is named by an attribute is imported from that file.
((attribute_item (attribute (identifier) @ignore value: (string_literal (string_content) @import.source))) . (attribute_item)* . (mod_item name: (identifier) @import.local !body)
  (#eq? @ignore "path") (#set! form "module") (#set! reach "visible"))
(extern_crate_declaration name: (identifier) @import.source @import.local !alias (#set! form "module") (#set! reach "visible"))
(extern_crate_declaration name: (identifier) @import.source alias: (identifier) @import.local (#set! form "module") (#set! reach "visible"))
(use_declaration argument: (identifier) @import.source @import.local (#set! form "module") (#set! reach "visible"))
(use_declaration argument: (scoped_identifier path: (_) @import.source name: (identifier) @import.name) (#set! form "named") (#set! reach "visible"))
(use_as_clause path: (scoped_identifier path: (_) @import.source name: (identifier) @import.name) alias: (identifier) @import.local (#set! form "named") (#set! reach "visible"))
(use_as_clause path: (identifier) @import.name alias: (identifier) @import.local (#set! form "named") (#set! reach "visible"))
(use_list (identifier) @import.name (#set! form "named") (#set! reach "visible"))
(use_list (scoped_identifier path: (_) @import.source name: (identifier) @import.name) (#set! form "named") (#set! reach "visible"))
(use_list (self) @import.at (#set! form "module") (#set! reach "visible") (#set! local "last"))
(use_wildcard (_) @import.source (#set! form "all") (#set! reach "visible"))
(use_list (use_wildcard . "*" @import.at) (#set! form "all") (#set! reach "visible"))
(scoped_use_list path: (_) @import.prefix list: (_) @import.within)

; References
(identifier) @use
(scoped_identifier path: (_) @receiver name: (identifier) @use)
(field_expression value: (_) @receiver field: (field_identifier) @use)
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(generic_function function: (identifier) @call)
(generic_function function: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(type_identifier) @type
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @type)
(struct_expression name: (_) @receiver.type body: (field_initializer_list (field_initializer field: (field_identifier) @use)))
(struct_expression name: (_) @receiver.type body: (field_initializer_list (shorthand_field_initializer (identifier) @use)))
(struct_pattern type: (_) @receiver.type (field_pattern name: (field_identifier) @use))
(struct_pattern type: (_) @receiver.type (field_pattern name: (shorthand_field_identifier) @use))
(struct_expression name: (type_identifier) @construct)
(struct_expression name: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @construct))
(trait_item bounds: (trait_bounds (type_identifier) @extends))
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @extends)))
(trait_item bounds: (trait_bounds (scoped_type_identifier path: (_) @receiver name: (type_identifier) @extends)))
(impl_item trait: (type_identifier) @implements type: (_) @owner)
(impl_item trait: (generic_type type: (type_identifier) @implements) type: (_) @owner)
(impl_item trait: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @implements) type: (_) @owner)
(impl_item trait: (generic_type type: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @implements)) type: (_) @owner)
(lifetime (identifier) @ignore)

; The arguments of a macro, read again as statements.
(macro_invocation (token_tree) @inner)
