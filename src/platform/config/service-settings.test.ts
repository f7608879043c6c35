import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readProviders } from './provider-settings.ts'

test('addresses of services: parameters are filled in, and each can be moved', () => {
  const environment = {
    AWS_REGION: 'eu-west-1',
    AMAZON_REKOGNITION_BASE_URL: 'http://127.0.0.1:9/r/',
    GOOGLE_CLOUD_PROJECT: 'p1',
    GOOGLE_FORM_PROCESSOR: 'f1',
  }
  const { amazon, google } = readProviders({}, environment)
  assert.equal(amazon?.services?.textract, 'https://textract.eu-west-1.amazonaws.com')
  assert.equal(amazon?.services?.rekognition, 'http://127.0.0.1:9/r')
  assert.equal(
    google?.services?.['form-parser'],
    'https://us-documentai.googleapis.com/v1/projects/p1/locations/us/processors/f1',
  )
  assert.equal(google?.services?.speech, 'https://us-speech.googleapis.com/v2/projects/p1/locations/us')
})

test('what is missing stays open, and does not keep the provider from its models', () => {
  const { amazon, google, microsoft } = readProviders({}, { GEMINI_API_KEY: 'k' })
  assert.equal(google?.configured, true)
  assert.match(google?.services?.speech ?? '', /\{GOOGLE_CLOUD_PROJECT\}/)
  assert.match(amazon?.services?.s3 ?? '', /\{AMAZON_STAGING_BUCKET\}$/)
  assert.deepEqual([microsoft?.configured, microsoft?.missing?.variables], [false, ['MICROSOFT_API_KEY']])
})

test('settings of tasks: those that are set, by their names', () => {
  const { affinda, openai } = readProviders({}, { AFFINDA_WORKSPACE: 'w1', OTHER: 'x' })
  assert.deepEqual([affinda?.settings, openai?.settings], [{ AFFINDA_WORKSPACE: 'w1' }, undefined])
})

test('an address that is none, and a part of one that leads elsewhere, are refused', () => {
  for (const environment of [{ AMAZON_POLLY_BASE_URL: 'polly' }, { AMAZON_STAGING_BUCKET: '../other' }])
    assert.throws(() => readProviders({}, environment), ConfigError)
})
