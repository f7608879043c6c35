import { COUNTRY_CODES } from './country-codes.ts'

export type CountryNames = { name: string | null; alpha2: string | null; alpha3: string | null }

/** Names in documents that Intl does not know, and codes of passports that ISO 3166 does not have. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  d: 'de',
  gbd: 'gb',
  gbn: 'gb',
  gbo: 'gb',
  gbp: 'gb',
  gbs: 'gb',
  rks: 'xk',
  uk: 'gb',
  'united states of america': 'us',
  'u s a': 'us',
  'great britain': 'gb',
  england: 'gb',
  scotland: 'gb',
  wales: 'gb',
  'united kingdom of great britain and northern ireland': 'gb',
  'russian federation': 'ru',
  holland: 'nl',
  'czech republic': 'cz',
  'republic of korea': 'kr',
  turkey: 'tr',
  'ivory coast': 'ci',
  macedonia: 'mk',
  burma: 'mm',
  'hellenic republic': 'gr',
  'swiss confederation': 'ch',
  'viet nam': 'vn',
  'hong kong': 'hk',
  macao: 'mo',
}

/** Languages in which issuers and providers name countries. */
const LANGUAGES = ['en', 'fr', 'de', 'es', 'it', 'pt', 'nl']
const STYLE =
  /^(the )?((federal|islamic|democratic|people s|socialist|united|french|italian|portuguese|argentine) )*(republic|kingdom|state|commonwealth|federation|principality|grand duchy)( of)? (the )?/

/** All names of a country by one of them: a code of two or three letters, as in passports too, or its name. */
export function countryOf(codeOrName: string): CountryNames {
  const plain = plainName(codeOrName)
  const alpha2 = codeOf(plain) ?? codeOf(plain.replace(STYLE, ''))
  if (!alpha2)
    return {
      name: codeOrName.length > 3 ? codeOrName : null,
      alpha2: null,
      alpha3: /^[a-z]{3}$/.test(plain) ? plain : null,
    }
  const [, alpha3] = COUNTRY_CODES.find(([two]) => two === alpha2)!
  return { name: namesIn('en').of(alpha2.toUpperCase())!, alpha2, alpha3 }
}

/** The issuing country in a machine-readable zone: the third to fifth letter of `P<UTOERIKSSON…`, without fillers. */
export function countryInMrz(zone: string | null): string | undefined {
  return /^[A-Z][A-Z<]([A-Z][A-Z<]{2})/.exec(zone ?? '')?.[1]?.replaceAll('<', '')
}

function codeOf(plain: string): string | undefined {
  codes ??= codesByName()
  return codes.get(plain)
}

/** Created on first use, because it takes longer than loading this whole module. */
let codes: Map<string, string> | undefined

function codesByName(): Map<string, string> {
  const named = LANGUAGES.flatMap((language) => {
    const names = namesIn(language)
    return COUNTRY_CODES.map(([alpha2]) => [plainName(names.of(alpha2.toUpperCase())!), alpha2] as const)
  })
  const coded = COUNTRY_CODES.flatMap(([alpha2, alpha3]) => [[alpha2, alpha2] as const, [alpha3, alpha2] as const])
  return new Map([...named, ...Object.entries(OTHER_NAMES), ...coded])
}

function namesIn(language: string): Intl.DisplayNames {
  return new Intl.DisplayNames(language, { type: 'region' })
}

/** Without accents, capitals and punctuation. */
function plainName(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return letters.replace(/[^\p{L}]+/gu, ' ').trim()
}
