// Which parts of a program are comments, texts, numbers and words of the language. Small rules, no grammar: what they do not
// know stays as it is.

type Colour = 'comment' | 'text' | 'number' | 'word' | 'name'
type Piece = { colour?: Colour; text: string }

const WORDS: Readonly<Record<string, string>> = {
  javascript:
    'async await break case catch class const continue default delete else export extends finally for from function if import in instanceof let new null of return static switch this throw true false try type typeof undefined var void while yield',
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield',
  go: 'break case chan const continue default defer else fallthrough for func go if import interface map nil package range return select struct switch true false type var',
  java: 'abstract boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long new null package private protected public record return static super switch this throw throws true false try var void while',
  sh: 'case do done echo elif else esac exit export fi for function if in set then while',
  json: 'true false null',
  yaml: 'true false null',
}

const NAMES: Readonly<Record<string, string>> = {
  js: 'javascript',
  ts: 'javascript',
  typescript: 'javascript',
  tsx: 'javascript',
  mjs: 'javascript',
  py: 'python',
  bash: 'sh',
  shell: 'sh',
  curl: 'sh',
  yml: 'yaml',
}

const HASH = String.raw`(?<comment>(?<![^\s])#[^\n]*)`
const SLASHES = String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`
const QUOTED = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
/** Of a shell, texts may go over several lines. */
const SHELL_TEXT = String.raw`"(?:\\[\s\S]|[^"\\])*"|'[^']*'`
const NUMBER = String.raw`(?<number>(?<![\w.-])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))`

const cache = new Map<string, RegExp | undefined>()

/** The pieces of a program, which are its text again if they are put together. */
export function coloured(text: string, language: string): Piece[] {
  const pattern = patternOf(NAMES[language] ?? language)
  if (!pattern) return [{ text }]
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) })
    const [colour] = Object.entries(match.groups!).find(([, value]) => value !== undefined)!
    pieces.push({ colour: colour as Colour, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

function patternOf(language: string): RegExp | undefined {
  if (!cache.has(language))
    cache.set(language, WORDS[language] ? new RegExp(rulesOf(language).join('|'), 'g') : undefined)
  return cache.get(language)
}

function rulesOf(language: string): string[] {
  const word = `(?<word>(?<![\\w.$-])(?:${WORDS[language]!.replaceAll(' ', '|')})(?![\\w-]))`
  if (language === 'json') return [String.raw`(?<name>"(?:\\.|[^"\\\n])*"(?=\s*:))`, `(?<text>${QUOTED})`, NUMBER, word]
  if (language === 'yaml')
    return [HASH, `(?<text>${QUOTED})`, String.raw`(?<name>[\w.\/-]+(?=:(?:\s|$)))`, NUMBER, word]
  if (language === 'sh')
    return [HASH, `(?<text>${SHELL_TEXT})`, String.raw`(?<name>\$\{?\w+\}?|(?<=\s)--?[A-Za-z][\w-]*)`, word]
  if (language === 'python') return [HASH, String.raw`(?<text>"""[\s\S]*?"""|${QUOTED})`, NUMBER, word]
  return [SLASHES, `(?<text>${QUOTED}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`)`, NUMBER, word]
}
