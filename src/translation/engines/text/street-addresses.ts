import type { Finding } from '../../engine-api/engines.ts'

// Recognizes addresses by their form: a house number and a word for a street, in the order of the language. Every repetition is
// bounded, so that no text can keep these patterns busy.

const NAME = String.raw`\p{Lu}[\p{L}'’.-]{0,30}`
const ENGLISH_STREET =
  '(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Place|Pl|Terrace|Way|Close|' +
  'Crescent|Highway|Hwy|Parkway|Pkwy|Gardens|Row|Mews|Quay)'
const UNIT = String.raw`(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor)\.? ?#?\w{1,6})?`
const UK_CODE = String.raw`[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}`
const US_CODE = String.raw`[A-Z]{2} \d{5}(?:-\d{4})?`
const ENGLISH_TOWN = String.raw`(?:,? ${NAME}(?: ${NAME}){0,2},? (?:${UK_CODE}|${US_CODE})\b)?`
const TOWN = String.raw`(?:,? \d{4,5} ${NAME}(?:[ -]${NAME}){0,2})?`
const NUMBER = String.raw`\d{1,4}(?: ?[a-z]\b)?`
const LITTLE_WORDS = `(?:(?:de|du|des|la|le|les|del|della|di|los|las|el) |d['’]|l['’])`

const FORMS = [
  // 221B Baker Street, London NW1 6XE
  String.raw`\b\d{1,5}[A-Za-z]? (?:[NSEW]\.? )?(?:${NAME} |\d{1,3}(?:st|nd|rd|th) ){1,4}${ENGLISH_STREET}\b\.?(?: [NS]?[EW]\b)?${UNIT}${ENGLISH_TOWN}`,
  // P.O. Box 123
  String.raw`\bP\. ?O\. ?Box \d{1,6}\b`,
  // Hauptstraße 5a, 10115 Berlin
  String.raw`\b\p{Lu}[\p{L}-]{1,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|laan|straat) ${NUMBER}${TOWN}`,
  // 12 rue de la Paix, 75002 Paris
  String.raw`\b\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|quai|allée|impasse) ${LITTLE_WORDS}{0,3}${NAME}(?:[ -]${NAME}){0,2}${TOWN}`,
  // Calle Mayor 12, 28013 Madrid; Via Roma 10
  String.raw`\b(?:Calle|Avenida|Plaza|Via|Viale|Piazza|Rua) ${LITTLE_WORDS}{0,3}${NAME}(?: ${LITTLE_WORDS}{0,2}${NAME}){0,2},? ${NUMBER}${TOWN}`,
].map((form) => new RegExp(form, 'gu'))

export function streetAddresses(text: string): Finding[] {
  const matches = FORMS.flatMap((form) => [...text.matchAll(form)])
  return matches.map(({ 0: found, index }) => ({ start: index, end: index + found.length, label: 'address' }))
}
