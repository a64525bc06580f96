/**
 * Names with characters or words that export formats interpret: line and column separators,
 * comments, templates, paths, options, quotes, commas, addresses and non-ASCII letters.
 */
export const hostileNames = [
  "two\nlines\t10.9.9.9 evil",
  "spaces and # comment",
  "{{ lookup('pipe', 'touch /hostile') }} {% raw %} {# #}",
  "../../etc/passwd",
  "-v",
  "quotes \" and \\ and '",
  "Küche 打印机 🖨 \u202Eabc",
  "a,b,c",
  "localhost",
  "10.1.2.3",
  "[group]:vars",
  "#!",
  "#jinja2: variable_start_string:'[[', variable_end_string:']]'\n[[ lookup('pipe', 'touch /hostile') ]]",
  "all",
  "__ansible_vault",
] as const;
