import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryInMrz, countryOf } from './country-of.ts'
import { COUNTRY_CODES } from './country-codes.ts'

test('there are 249 countries of ISO 3166 and Kosovo, each with both codes', () => {
  assert.equal(COUNTRY_CODES.length, 250)
  for (const place of [0, 1]) assert.equal(new Set(COUNTRY_CODES.map((pair) => pair[place])).size, 250)
  for (const [alpha2, alpha3] of COUNTRY_CODES) assert.match(`${alpha2} ${alpha3}`, /^[a-z]{2} [a-z]{3}$/)
})

test('a country is found by a code, by its name and by what passports call it', () => {
  const france = { name: 'France', alpha2: 'fr', alpha3: 'fra' }
  for (const known of [
    'FR',
    'fra',
    'France',
    'FRANKREICH',
    'Francia',
    'French Republic of France',
    'Republic of France',
  ])
    assert.deepEqual(countryOf(known), france, known)
  const known = [
    'D',
    'GBD',
    'UK',
    'United States of America',
    'U.S.A.',
    'Russian Federation',
    'Côte d’Ivoire',
    'TURKEY',
    'RKS',
  ]
  assert.deepEqual(
    known.map((name) => countryOf(name).alpha2),
    ['de', 'gb', 'gb', 'us', 'us', 'ru', 'ci', 'tr', 'xk'],
  )
})

test('what is not a country is not made one', () => {
  assert.deepEqual(countryOf('Atlantis'), { name: 'Atlantis', alpha2: null, alpha3: null })
  assert.deepEqual(countryOf('UTO'), { name: null, alpha2: null, alpha3: 'uto' })
  assert.deepEqual(countryOf(''), { name: null, alpha2: null, alpha3: null })
})

test('the machine-readable zone names the country that issued it', () => {
  assert.deepEqual(
    ['P<USATRAVELER<<HAPPY', 'IDFRABERTHIER', 'P<D<<MUSTERMANN', 'I<UTOD23', 'nothing', null].map(countryInMrz),
    ['USA', 'FRA', 'D', 'UTO', undefined, undefined],
  )
})
