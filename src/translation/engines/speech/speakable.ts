/** Replacements for characters that the voices do not know. */
const SPEECH_TEXT: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': ' - ',
  '—': ' - ',
  '…': '... ',
  '€': ' euro ',
  '£': ' pound ',
  '°': ' degrees ',
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  œ: 'oe',
  ł: 'l',
}

const SIGNS = new RegExp(`[${Object.keys(SPEECH_TEXT).join('')}]`, 'giu')

/** Converts the text to ASCII, the only input of flite: accents are removed, other characters are dropped. */
export function speakable(text: string): string {
  const folded = text.replace(SIGNS, (sign) => SPEECH_TEXT[sign.toLowerCase()] ?? ' ').normalize('NFKD')
  return folded.replace(/\p{M}/gu, '').replace(/[^\n\x20-\x7e]/g, ' ')
}
