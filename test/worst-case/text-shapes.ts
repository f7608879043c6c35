// Texts that are hard to search: for each search of the gateway, a text that almost matches everywhere.

export type TextShape = { name: string; text(length: number): string }

export const TEXTS_OF_EVERY_SHAPE: readonly TextShape[] = [
  shape('one letter', 'a'),
  shape('words', 'lorem ipsum dolor sit amet. '),
  shape('words without an end', 'lorem-'),
  shape('blanks', ' '),
  shape('line ends', '\n'),
  shape('blanks before a line end', ' \t\n '),
  shape('digits', '7'),
  shape('groups of digits', '4111 1111 '),
  shape('dots and digits', '192.168.'),
  shape('colons and digits', 'fe80:'),
  shape('plus signs and digits', '+49 '),
  shape('mail addresses without an end', 'a.b@'),
  shape('mail addresses', 'a@example.org '),
  shape('web addresses', 'https://a.b/?c=d&'),
  shape('letters of account numbers', 'DE12'),
  shape('brackets', '['),
  shape('braces', '{"a":'),
  shape('quotes', '"'),
  shape('backslashes', '\\'),
  shape('comments without an end', '/* '),
  shape('comments', '//'),
  shape('commas', ','),
  shape('tags', '<a>'),
  shape('tags without an end', '<think'),
  shape('code fences', '```json\n'),
  shape('placeholders', '[EMAIL_1] '),
  shape('placeholders without an end', '[EMAIL_'),
  shape('two scripts', 'д語'),
  shape('emoji', '👩‍👩‍👧'),
  shape('accents', 'é'.normalize('NFD')),
]

function shape(name: string, piece: string): TextShape {
  return { name, text: (length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length) }
}
