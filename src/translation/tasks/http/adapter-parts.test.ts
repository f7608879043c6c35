import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLE_PNG } from '../example-files.ts'
import { amountOf } from '../results/amount-of.ts'
import { billedCharacters } from '../inputs/billed-characters.ts'
import { contentFinding } from '../results/content-finding.ts'
import { orientationOf } from '../results/video.ts'
import { languageName, nearestLanguage, primaryLanguage, regionalLanguage } from '../inputs/language-tags.ts'
import { anonymized } from '../results/personal-data.ts'
import { pixelSize } from '../inputs/pixel-size.ts'
import { diarizationOf } from '../results/diarization.ts'

test('amounts as people write them', () => {
  const rows: [string, number | null][] = [
    ['$1,234.50', 1234.5],
    ['1.234,50 €', 1234.5],
    ["CHF 1'234.50", 1234.5],
    ['1 234,50', 1234.5],
    ['1,234', 1234],
    ['1.234.567', 1234567],
    ['1234.567', 1234.567],
    ['1,234.567', 1234.567],
    ['12,5', 12.5],
    ['0.125', 0.125],
    ['-3.10', -3.1],
    ['(12)', -12],
    ['200', 200],
    ['12.', 12],
    ['free', null],
    ['', null],
  ]
  for (const [text, amount] of rows) assert.equal(amountOf(text), amount, text)
})

test('characters are charged by the piece that is begun', () => {
  assert.equal(billedCharacters('', { step: 1_000 }), 1_000)
  assert.equal(billedCharacters('😀'.repeat(100), { step: 100 }), 100)
  assert.equal(billedCharacters('x'.repeat(101), { step: 100, least: 300 }), 300)
  assert.equal(billedCharacters('x'.repeat(301), { step: 100, least: 300 }), 400)
})

test('languages with a region, without, and by name', () => {
  assert.deepEqual(['en', 'pt', 'de-AT', 'zh_TW', 'x'].map(regionalLanguage), ['en-US', 'pt-BR', 'de-AT', 'zh-TW', 'x'])
  assert.deepEqual(['pt-BR', 'EN', null].map(primaryLanguage), ['pt', 'en', null])
  assert.deepEqual(['fr', 'zh-TW', '!'].map(languageName), ['French', 'Chinese (Taiwan)', '!'])
  const known = ['fr-CA', 'pt-PT', 'zh-TW']
  const nearest = ['fr-ca', 'fr-BE', 'pt-BR', 'zh-HK', 'zh-Hant', 'zh-CN', 'x1'].map((tag) =>
    nearestLanguage(tag, known),
  )
  assert.deepEqual(nearest, ['fr-CA', 'fr', 'pt', 'zh-TW', 'zh-TW', 'zh', 'x1'])
  assert.equal(regionalLanguage(null), null)
})

test('the size of a picture by its first bytes', () => {
  const jpeg = Buffer.from('ffd8ffe000044a46ffc0000b080010002003ffff00000000', 'hex')
  const gif = Buffer.from('4749463839610a001400', 'hex')
  const webp = Buffer.concat([Buffer.from('RIFF....WEBPVP8X'), Buffer.from('0a00000000000000ff00007f0000', 'hex')])
  assert.deepEqual(pixelSize(Buffer.from(EXAMPLE_PNG, 'base64')), { width: 16, height: 16 })
  assert.deepEqual(pixelSize(jpeg), { width: 32, height: 16 })
  assert.deepEqual(pixelSize(gif), { width: 10, height: 20 })
  assert.deepEqual(pixelSize(webp), { width: 256, height: 128 })
  for (const bytes of ['', '\x89PNG', 'RIFF', 'hello'])
    assert.equal(pixelSize(Buffer.from(bytes, 'latin1')), null, bytes)
})

test('labels of the clouds have a place, and scores stay on the scale', () => {
  const rows: [string, string, string | null][] = [
    ['Death, Harm & Tragedy', 'Violence', 'GraphicViolenceOrGore'],
    ['HARASSMENT_OR_ABUSE', 'HateAndExtremism', 'Harassment'],
    ['Female Swimwear Or Underwear', 'Sexual', 'Suggestive'],
    ['__proto__', 'Other', null],
    ['constructor', 'Other', null],
  ]
  for (const [label, category, subcategory] of rows) {
    const finding = contentFinding(label, 1.2)
    assert.deepEqual([finding.category, finding.subcategory, finding.likelihood_score], [category, subcategory, 1])
  }
})

test('personal data: names of many countries, and what overlaps is hidden once', () => {
  const vehicle = 'VEHICLE_IDENTIFICATION_NUMBER'
  const labels = [
    'US_DRIVERS_LICENSE_NUMBER',
    'USSocialSecurityNumber',
    'CREDIT_DEBIT_CVV',
    'DATE_TIME',
    vehicle,
    'Strange',
  ]
  const { entities } = anonymized(
    'x',
    labels.map((label) => ({ offset: 0, length: 1, label, confidence: null })),
  )
  assert.deepEqual(
    entities.map(({ subcategory }) => subcategory),
    ['DriverLicenseNumber', 'SocialSecurityNumber', 'Password', 'DateTime', 'VehicleIdentificationNumber', 'Other'],
  )
  const twice = [0, 2].map((offset) => ({ offset, length: 3, label: 'NAME', confidence: 1 }))
  assert.equal(anonymized('abcdefg', twice).result, '*****fg')
})

test('speakers are counted as they come', () => {
  const said = ['b', 'a', 'b', undefined].map((speaker) => ({
    segment: 'x',
    start: 0,
    end: null,
    speaker,
    confidence: null,
  }))
  const { total_speakers, entries } = diarizationOf(said)
  assert.deepEqual([total_speakers, entries.map(({ speaker }) => speaker)], [2, [1, 2, 1, 1]])
  assert.deepEqual([entries[0]?.start_time, entries[0]?.end_time], ['0', null])
})

test('the shape of a film', () => {
  assert.deepEqual(orientationOf(null), { aspectRatio: '16:9', resolution: '720p' })
  assert.deepEqual(orientationOf('1080x1920'), { aspectRatio: '9:16', resolution: '1080p' })
  assert.throws(() => orientationOf('large'), /1280x720/)
})
