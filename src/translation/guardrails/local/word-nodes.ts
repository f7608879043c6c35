import { casesOf, single } from '../../hooks/patterns/char-set.ts'
import { wholeWord } from '../../hooks/patterns/block-list.ts'
import type { Node } from '../../hooks/patterns/parse-pattern.ts'
import { plainText } from './plain-text.ts'

/** Characters that look the same: of Latin, Greek, Cyrillic and Armenian, small capitals, and signs that are typed for each other. */
const LOOK_ALIKES = [
  'a\u0430\u03b1\u0251\u1d00 b\u0299 c\u0441\u03f2\u1d04 d\u0501\u1d05 e\u0435\u1d07 f\ua730',
  'g\u0261\u0581\u0262 h\u04bb\u0570\u029c i\u0456\u03b9\u0131\u026a j\u0458\u0575\u1d0a k\u1d0b',
  'l\u04cf\u029f m\u1d0d n\u0578\u0274 o\u043e\u03bf\u0585\u1d0f p\u0440\u03c1\u1d18 q\u051b\u0566 r\u0280',
  's\u0455\ua731 t\u1d1b u\u03c5\u057d\u1d1c v\u03bd\u0475\u1d20 w\u051d\u1d21 x\u0445 y\u0443\u03b3\u028f',
  'z\u1d22',
  'A\u0410\u0391 B\u0412\u0392 C\u0421\u03f9 E\u0415\u0395 H\u041d\u0397 I\u0406\u0399\u04c0 J\u0408',
  'K\u041a\u039a M\u041c\u039c N\u039d O\u041e\u039f\u0555 P\u0420\u03a1 Q\u051a S\u0405\u054f',
  'T\u0422\u03a4 U\u054d W\u051c X\u0425\u03a7 Y\u0423\u03a5 Z\u0396',
  "-\u2010\u2011\u2012\u2013\u2014\u2212 '\u2018\u2019\u02bc",
].flatMap((row) => row.split(' '))

const ALIKE: ReadonlyMap<string, string> = new Map(LOOK_ALIKES.flatMap((all) => [...all].map((one) => [one, all])))

/** Words as they may be written: with letters that look the same, and with accents as characters of their own or not. */
export function wordNodes(words: readonly string[], ignoreCase: boolean): Node[] {
  return words.map((word) => {
    const plain = plainText(word.normalize('NFC')) || word
    const nodes = [...new Set([plain, plain.normalize('NFD')])].map((form) => wholeWord(form, literal))
    return { kind: 'choice', nodes }
  })

  function literal(word: string): Node {
    return { kind: 'sequence', nodes: Array.from({ length: word.length }, (_, at) => letter(word.charCodeAt(at))) }
  }

  /** Only a letter of the same case looks the same. */
  function letter(unit: number): Node {
    const cases = ignoreCase ? casesOf(unit) : [unit]
    const alike = cases.flatMap((one) => [...(ALIKE.get(String.fromCharCode(one)) ?? '')])
    if (alike.length === 0) return { kind: 'set', set: single(unit) }
    const units = [...cases, ...alike.map((char) => char.charCodeAt(0))]
    return {
      kind: 'set',
      set: { ranges: units.map((one) => [one, one]), traits: [], negated: false, hasAllCases: true },
    }
  }
}
