; Shell: functions, variables, sourced files, calls.

(comment) @comment

(function_definition name: (word) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))

(command name: (command_name (word) @ignore) . argument: (_) @import.source
  (#any-of? @ignore "source" ".") (#set! form "all"))

(command name: (command_name (word) @call))
