import { COMMAND_NAMES, type CommandName, type Flag, specOf } from '../command-line/command-table.ts'

// What there is to complete, for the scripts of all shells.

/** The programs that the scripts are for. */
export const PROGRAMS = ['gatehouse', 'gatehouse-ai'] as const

/** What follows: nothing, files, folders, one of these words, or a text that only its author knows. */
export type Follows = 'nothing' | 'files' | 'folders' | 'text' | readonly string[]

type CompletedFlag = { readonly name: string; readonly about: string; readonly follows: Follows }
export type CompletedCommand = {
  readonly name: CommandName
  readonly about: string
  readonly flags: readonly CompletedFlag[]
  readonly operand: Follows
}

export function completedCommands(): CompletedCommand[] {
  return COMMAND_NAMES.map((name) => {
    const { summary, flags, operands = [], optional, choices } = specOf(name)
    const all = Object.entries(flags).map(([flag, spec]) => ({
      name: flag,
      about: spec.about,
      follows: afterFlag(spec),
    }))
    const help = { name: 'help', about: 'show the options', follows: 'nothing' } as const
    return { name, about: summary, flags: [...all, help], operand: choices ?? afterWord(operands[0] ?? optional) }
  })
}

function afterFlag({ type, value, choices }: Flag): Follows {
  return type === 'boolean' ? 'nothing' : (choices ?? afterWord(value))
}

/** The word that stands for a value in the help says what it is. */
function afterWord(word: string | undefined): Follows {
  if (word === undefined) return 'nothing'
  if (/FILE/.test(word)) return 'files'
  return /FOLDER/.test(word) ? 'folders' : 'text'
}

/** The first words of all commands, with what the first one of each says. */
export function firstWords(): { word: string; about: string }[] {
  const aboutByWord = new Map<string, string>()
  for (const { name, about } of completedCommands()) {
    const [word = '', second] = name.split(' ')
    const others = secondWords(word).map((one) => one.word)
    if (!aboutByWord.has(word)) aboutByWord.set(word, second === undefined ? about : others.join(', '))
  }
  return [...Array.from(aboutByWord, ([word, about]) => ({ word, about })), { word: 'help', about: 'show the help' }]
}

/** The second words behind a first one. */
export function secondWords(first: string): { word: string; about: string }[] {
  return completedCommands().flatMap(({ name, about }) => {
    const [word, second] = name.split(' ')
    return word === first && second !== undefined ? [{ word: second, about }] : []
  })
}

/** A text between single quotes, in which a POSIX shell changes nothing. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
