import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from '../../base/schema/type.ts'
import { nullable } from '../../base/schema/fields.ts'
import { validator } from '../../base/schema/validator.ts'
import { withBlanks } from './fields/blanks.ts'
import { closedObject } from './closed-object.ts'
import { CATEGORIES, CategoryField, contentCategoryOf, SubcategoryField } from './fields/content-categories.ts'
import { EXAMPLE_MP4, EXAMPLE_PNG, EXAMPLE_WAV } from './example-files.ts'
import { fileInput } from './feature.ts'
import { FinancialDocument } from './fields/financial-document.ts'
import imageGeneration from './image/generation/feature.ts'
import { namedLanguage } from './fields/language.ts'
import { likelihoodOf, worstOf } from './fields/likelihood.ts'
import { masked, PersonalDataSubcategoryField, personalDataCategoryOf } from './fields/personal-data-categories.ts'
import { score } from './fields/score.ts'

test('the likelihood is the step that a score does not exceed', () => {
  const steps = [0, 0.2, 0.2001, 0.4, 0.4001, 0.6, 0.6001, 0.8, 0.8001, 1, 1.0001]
  assert.deepEqual(steps.map(likelihoodOf), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5])
})

test('the worst of many findings is the highest, and of none is 0', () => {
  const items = [
    { likelihood: 2, likelihood_score: 0.39 },
    { likelihood: 5, likelihood_score: 0.912345 },
    { likelihood: 1, likelihood_score: 0 },
  ]
  assert.deepEqual(worstOf(items), { nsfw_likelihood: 5, nsfw_likelihood_score: 0.9123 })
  assert.deepEqual(worstOf([]), { nsfw_likelihood: 0, nsfw_likelihood_score: 0 })
})

test('a score has four decimals, and so none that is written with an exponent', () => {
  assert.deepEqual([0, 1, 0.123456, 0.00004, 0.00005, 0.99999].map(score), [0, 1, 0.1235, 0, 0.0001, 1])
  assert.equal(JSON.stringify(score(3.2e-7)), '0')
})

test('labels of providers find their category', () => {
  const rows: [string, string, string | null][] = [
    ['Insult', 'Toxic', 'Insult'],
    ['SEVERE_TOXIC', 'Toxic', 'Toxic'],
    ['sexual/minors', 'Sexual', null],
    ['Female Swimwear Or Underwear', 'Sexual', 'Suggestive'],
    ['violence/graphic', 'Violence', 'GraphicViolenceOrGore'],
    ['self-harm/intent', 'Violence', 'PhysicalViolence'],
    ['harassment/threatening', 'HateAndExtremism', 'Threatening'],
    ['pills', 'DrugAndAlcohol', 'DrugProducts'],
    ['NSFW', 'Safe', 'NotSafe'],
    ['constructor', 'Other', null],
    ['', 'Other', null],
  ]
  for (const [label, category, subcategory] of rows)
    assert.deepEqual(contentCategoryOf(label), { category, subcategory }, label)
})

test('the categories of content are the known ones', () => {
  assert.equal(CATEGORIES.length, 9)
  assert.deepEqual(CategoryField.enum, CATEGORIES)
  assert.equal(SubcategoryField.enum.length, 46)
  assert.equal(new Set(SubcategoryField.enum).size, 46)
})

test('the categories of personal data are the known ones', () => {
  assert.equal(new Set(PersonalDataSubcategoryField.enum).size, 41)
  assert.equal(personalDataCategoryOf('Email'), 'PersonalInformation')
  assert.equal(personalDataCategoryOf('BuisnessNumber'), 'OrganizationInformation')
})

test('what is masked keeps its length', () => {
  const entities = [
    { offset: 0, length: 2 },
    { offset: 3, length: 1 },
  ]
  assert.equal(masked('ab cd', entities), '** *d')
  assert.equal(masked('ab', []), 'ab')
})

test('auto-detect and nothing are the same language', () => {
  assert.deepEqual([undefined, null, 'auto-detect', 'pt-BR'].map(namedLanguage), [null, null, null, 'pt-BR'])
  assert.deepEqual(['pt_br', 'EN', 'fra', 'zh_hant', '!'].map(namedLanguage), ['pt-BR', 'en', 'fr', 'zh-Hant', '!'])
})

test('blanks are null or empty, at every depth', () => {
  const Line = closedObject({ name: Type.String(), amount: nullable(Type.Number(), '') })
  const schema = closedObject({
    lines: Type.Array(Line),
    inner: closedObject({ note: nullable(Type.String(), ''), tags: Type.Array(Type.String()) }),
    place: nullable(closedObject({ city: nullable(Type.String(), '') }), ''),
    usage: Type.Optional(Type.String()),
  })
  const empty = { lines: [], inner: { note: null, tags: [] }, place: null }
  assert.deepEqual(withBlanks(schema, {}), empty)
  assert.deepEqual(withBlanks(schema, { lines: [{ name: 'a' }], place: {}, usage: 'u' }), {
    ...empty,
    lines: [{ name: 'a', amount: null }],
    place: { city: null },
    usage: 'u',
  })
  assert.throws(() => withBlanks(schema, { lines: [{ amount: 1 }] }), /no blank for \.lines\[\]\.name/)
})

test('a financial document of which nothing is known is valid', () => {
  assert.deepEqual(validator(FinancialDocument).issues(withBlanks(FinancialDocument, {}), []), [])
})

test('a file is an upload or an http(s) address', () => {
  const { check, issues } = validator(fileInput('A file.'))
  const good = [
    '2C1E5B0E-3f4d-4b59-9a0b-7c8f1d2e3a4b',
    'https://example.com/a b.pdf',
    'HTTP://localhost:1/',
    'http://[::1]/x',
  ]
  const bad = [
    'x',
    'file:///etc/passwd',
    'ftp://example.com/a',
    'https:example.com',
    'https://',
    'data:text/plain,x',
    '//a/b',
  ]
  for (const value of good) assert.ok(check(value), value)
  for (const value of bad) {
    assert.equal(check(value), false, value)
    assert.deepEqual(issues(value, ['body', 'input', 'file']), [
      {
        loc: ['body', 'input', 'file'],
        msg: 'Input should be the id of an uploaded file or an http(s) address',
        type: 'value_error',
      },
    ])
  }
})

test('a mask needs a picture to lie on', () => {
  const mask = 'https://example.com/mask.png'
  const wrong = { loc: ['body', 'input', 'reference_images'], msg: 'Field required', type: 'missing' }
  const issues = (input: object) => imageGeneration.rules?.({ text: 'x', ...input }, ['body', 'input'])
  assert.deepEqual(issues({ mask }), [wrong])
  assert.deepEqual(issues({ mask, reference_images: [] }), [wrong])
  assert.deepEqual(issues({ mask, reference_images: ['https://example.com/a.png'] }), [])
  assert.deepEqual(issues({}), [])
})

test('the example files are what they are called', () => {
  assert.equal(Buffer.from(EXAMPLE_PNG, 'base64').toString('latin1', 1, 4), 'PNG')
  const audio = Buffer.from(EXAMPLE_WAV, 'base64')
  assert.equal(audio.toString('latin1', 8, 12), 'WAVE')
  assert.equal(audio.readUInt32LE(4), audio.length - 8)
  assert.equal(Buffer.from(EXAMPLE_MP4, 'base64').toString('latin1', 4, 8), 'ftyp')
})
