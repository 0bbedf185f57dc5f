; Ruby: definitions, requires, inheritance.

(comment) @comment

(module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name !body) @definition.module
(class name: (_) @name body: (_) @body) @definition.class
(class name: (_) @name !body) @definition.class
(method name: (_) @name body: (_) @body) @definition.function
(method name: (_) @name !body) @definition.function
(singleton_method name: (_) @name body: (_) @body) @definition.function
(singleton_method name: (_) @name !body) @definition.function
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) @ignore arguments: (argument_list (string (string_content) @name)) block: (_)
  (#any-of? @ignore "describe" "it" "context" "specify")) @definition.test

(call method: (identifier) @ignore arguments: (argument_list (string (string_content) @import.source))
  (#any-of? @ignore "require" "load") (#set! form "all"))
(call method: (identifier) @ignore arguments: (argument_list (string (string_content) @import.source))
  (#eq? @ignore "require_relative") (#set! form "all") (#set! relative "yes"))

(superclass (constant) @extends)
(superclass (scope_resolution scope: (_) @receiver name: (constant) @extends))
(call method: (identifier) @ignore arguments: (argument_list (constant) @implements)
  (#any-of? @ignore "include" "extend" "prepend"))
(constant) @type
(call receiver: (constant) @receiver method: (identifier) @call)
