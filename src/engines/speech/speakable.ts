/** What is written with signs that the voices do not know, in signs that they do. */
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

/** The text in plain ASCII, which is all that flite reads: accents are left off, other signs are left out. */
export function speakable(text: string): string {
  const folded = text.replace(SIGNS, (sign) => SPEECH_TEXT[sign.toLowerCase()] ?? ' ').normalize('NFKD')
  return folded.replace(/\p{M}/gu, '').replace(/[^\n\x20-\x7e]/g, ' ')
}
