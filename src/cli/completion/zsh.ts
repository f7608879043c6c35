import { type Follows, firstWords, PROGRAMS, quoted } from './completed.ts'
import { indented, shellCases } from './shell-cases.ts'

export function zshScript(): string {
  const cases = shellCases({ add: (words) => `items=(${described(words)})`, offer: offerOf })
  return `#compdef ${PROGRAMS.join(' ')}
# Completion of gatehouse for zsh. Made by \`gatehouse completion zsh\`.
_gatehouse() {
  local first=\${words[2]} command
  local -a items
  if (( CURRENT == 2 )); then
    items=(${described(firstWords())})
    _describe -t commands command items
    return
  fi
  command=$first
  case "$first \${words[3]}" in
${indented(cases.twoWords, 4)}
  esac
  case "$command \${words[CURRENT-1]}" in
${indented(cases.valuesOfFlags, 4)}
  esac
  if (( CURRENT == 3 )); then
    items=()
    case "$first" in
${indented(cases.secondWords, 6)}
    esac
    (( \${#items} )) && _describe -t commands command items
  fi
  if [[ "\${words[CURRENT]}" != -* ]]; then
    case "$command" in
${indented(cases.operands, 6)}
    esac
  fi
  items=()
  case "$command" in
${indented(cases.flags, 4)}
  esac
  (( \${#items} )) && _describe -o -t options option items
}
if [[ "\${funcstack[1]}" == _gatehouse ]]; then
  _gatehouse "$@"
else
  compdef _gatehouse ${PROGRAMS.join(' ')}
fi
`
}

function described(all: readonly { word: string; about: string }[]): string {
  return all.map(({ word, about }) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)).join(' ')
}

function offerOf(follows: Follows): string {
  if (follows === 'files') return '_files'
  if (follows === 'folders') return '_files -/'
  if (follows === 'nothing' || follows === 'text') return ':'
  return `compadd -- ${follows.map(quoted).join(' ')}`
}
