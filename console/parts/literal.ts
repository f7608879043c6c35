type Language = 'python' | 'typescript' | 'json'

const WORDS = {
  python: { null: 'None', true: 'True', false: 'False' },
  typescript: { null: 'null', true: 'true', false: 'false' },
  json: { null: 'null', true: 'true', false: 'false' },
} as const
const STEP = { python: '    ', typescript: '  ', json: '  ' } as const
const SHORT_CHARS = 64

/** A value of JSON as a program writes it. What is short stays on one line. */
export function literal(value: unknown, language: Language, indent = ''): string {
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return WORDS[language][String(value) as 'null']
  const deeper = indent + STEP[language]
  const members = Array.isArray(value)
    ? value.map((one) => literal(one, language, deeper))
    : Object.entries(value).map(([name, one]) => `${keyOf(name, language)}: ${literal(one, language, deeper)}`)
  const isNested = !Array.isArray(value) && members.length > 1 && indent === ''
  return listOf(members, { language, indent, isList: Array.isArray(value), isNested })
}

type Form = { language: Language; indent: string; isList: boolean; isNested: boolean }

/** The outermost object has a line for each field, because people look for them there. */
function listOf(members: readonly string[], { language, indent, isList, isNested }: Form): string {
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const line = members.join(', ')
  const space = language === 'python' || isList || members.length === 0 ? '' : ' '
  if (!isNested && line.length <= SHORT_CHARS && !line.includes('\n')) return `${open}${space}${line}${space}${close}`
  const deeper = indent + STEP[language]
  const lines = members.map((one) => deeper + one).join(',\n') + (language === 'json' ? '' : ',')
  return `${open}\n${lines}\n${indent}${close}`
}

function keyOf(name: string, language: Language): string {
  return language === 'typescript' && /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)
}
