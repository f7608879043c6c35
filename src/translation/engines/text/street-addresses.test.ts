import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streetAddresses } from './street-addresses.ts'

const ADDRESSES = [
  '221B Baker Street, London NW1 6XE',
  '1600 Pennsylvania Avenue NW',
  '350 Fifth Avenue, Suite 3300, New York, NY 10118',
  '12 W. 42nd St.',
  '7 Saint Mary’s Road',
  'P.O. Box 4711',
  'Hauptstraße 5a, 10115 Berlin',
  'Unter-den-Lindenallee 77',
  '12 rue de la Paix, 75002 Paris',
  '8 bis, boulevard Saint-Michel',
  'Calle de la Princesa 12, 28008 Madrid',
  'Via Roma 10',
]

const NONE = [
  'He drove 40 Miles down the road.',
  'Der Weg 5 km weiter, dann 3 Treppen.',
  'Via e-mail at 10, or on page 12 of Volume 3.',
  'Room 101, Building 7',
]

/** Forms that are not known: a village without streets, a building with a name, a number after an English street. */
const MISSED = [
  'Rose Cottage, Little Hampton',
  'The Old Mill, Mill Lane',
  '東京都千代田区千代田1-1',
  'Baker Street 221B',
]

/** A form is all that is looked at: a year and a surname have this one too. */
const FALSE_ALARM = 'In 2021 Anna Street won 3 games.'

test('addresses of known forms are found whole and at their place, and nothing else is', () => {
  for (const address of ADDRESSES) {
    const text = `😀 Anna lives at ${address}; write.`
    const found = streetAddresses(text).map(({ start, end }) => text.slice(start, end))
    assert.deepEqual(found, [address])
  }
  for (const text of [...NONE, ...MISSED]) assert.deepEqual(streetAddresses(text), [], text)
  assert.equal(streetAddresses(FALSE_ALARM).length, 1)
})

test('texts that nearly fit over and over are done with', () => {
  // They would not be, if a repetition could be divided in many ways.
  for (const piece of ['12 A ', 'Aa-', '1 rue de la ', 'Calle de la ', "1 A' "]) {
    assert.deepEqual(streetAddresses(piece.repeat(50_000 / piece.length)), [], piece)
  }
})
