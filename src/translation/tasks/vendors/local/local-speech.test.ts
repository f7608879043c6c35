import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { speakable } from '../../../engines/speech/speakable.ts'
import { sample } from '../../../../../test/soak/sample.ts'
import { kept, run } from '../../fixtures/local.ts'

const RATE = 16_000
const BYTES_PER_SAMPLE = 2
const HEADER_BYTES = 44
/** Those that a recognizer of speech listened to; docs/local.md tells what it heard. */
const SENTENCES = [
  'the train leaves at nine and arrives before noon',
  'please close the door when you leave the room',
  'she sold her house and moved to the country',
  'the meeting has been moved to tuesday morning',
  'we will have rain in the afternoon and sun in the evening',
  'he bought three apples and a loaf of bread',
  'your order is ready and can be picked up today',
  'nobody knows what will happen next year',
]
const SENTENCE = SENTENCES[0]!
/** The crudest of the voices, which takes next to no time. */
const voice = 'kal16'

describe('the engine that speaks', () => {
  test('makes a recording as long as the text takes, with sound in it', async () => {
    const recording = await speech({ text: SENTENCE })
    assert.equal(recording.toString('latin1', 0, 4), 'RIFF')
    // What the header says of itself is true: 16 kHz, one channel, and as many bytes as there are.
    assert.deepEqual([recording.readUInt32LE(24), recording.readUInt16LE(22)], [RATE, 1])
    assert.equal(recording.readUInt32LE(40), recording.length - HEADER_BYTES)
    assert.ok(between(secondsOf(recording), 2, 5), `${secondsOf(recording)} s`)
    assert.ok(loudnessOf(recording) > 500, `${loudnessOf(recording)}`)
  })

  test('speaks as fast as people do: two to five words a second', async () => {
    for (const text of SENTENCES.slice(0, sample(1, SENTENCES.length))) {
      const pace = text.split(' ').length / secondsOf(await speech({ text, voice }))
      assert.ok(between(pace, 2, 5), `${pace}: ${text}`)
    }
  })

  test('says numbers in words, and signs that it does not know as what they stand for', async () => {
    const [figures, words] = ['Gate 42.', 'Gate forty two.'].map((text) => speech({ text, voice }))
    assert.ok((await figures!).equals(await words!))
    assert.equal(speakable('It’s a naïve café'), speakable("It's a naive cafe"))
  })

  test('speaks faster, and with other voices', async () => {
    const [fallback, fast] = [
      await speech({ text: SENTENCE, voice }),
      await speech({ text: SENTENCE, voice, speed: 2 }),
    ]
    assert.ok(between(secondsOf(fast) / secondsOf(fallback), 0.4, 0.6))
    const [rms, ...others] = await Promise.all(['rms', 'SLT', 'awb'].map((voice) => speech({ text: 'Yes', voice })))
    for (const other of others) assert.ok(!rms!.equals(other))
  })

  test('hands out the bare samples where they are asked for', async () => {
    const file = await speech({ text: 'Gate 42.', voice })
    const samples = await speech({ text: 'Gate 42.', voice, audio_format: 'PCM' })
    assert.ok(samples.equals(file.subarray(HEADER_BYTES)))
    assert.deepEqual([kept[0]!.name, kept.at(-1)!.name], ['speech.wav', 'speech.pcm'])
  })

  test('declines what it has not, in so many words', async () => {
    const refusals: [input: object, code: string][] = [
      [{ text: 'Hello', audio_format: 'mp3' }, 'unsupported_audio_format'],
      [{ text: 'Hello', voice: '/etc/passwd' }, 'unknown_voice'],
      [{ text: 'Der Zug fährt um neun Uhr ab und kommt vor Mittag an.' }, 'unsupported_language'],
      [{ text: 'a'.repeat(5_001) }, 'text_too_long'],
      [{ text: '… !' }, 'unreadable_input'],
    ]
    for (const [input, code] of refusals) await assert.rejects(run('audio/tts', input), { code, status: 422 })
  })
})

/** What was said once is not said again. */
const said = new Map<string, Promise<Buffer>>()

function speech(input: object): Promise<Buffer> {
  const key = JSON.stringify(input)
  const recording = said.get(key) ?? speak(input)
  said.set(key, recording)
  return recording
}

async function speak(input: object): Promise<Buffer> {
  const { audio_resource_url: link } = (await run('audio/tts', input)) as { audio_resource_url: string }
  return Buffer.from(kept[Number(link.split('/').at(-1)) - 1]!.bytes)
}

function secondsOf(recording: Buffer): number {
  return (recording.length - HEADER_BYTES) / BYTES_PER_SAMPLE / RATE
}

/** The root of the mean square of the samples; silence is 0. */
function loudnessOf(recording: Buffer): number {
  let sum = 0
  for (let at = HEADER_BYTES; at + 1 < recording.length; at += BYTES_PER_SAMPLE) sum += recording.readInt16LE(at) ** 2
  return Math.sqrt(sum / (recording.length / BYTES_PER_SAMPLE))
}

function between(value: number, least: number, max: number): boolean {
  return value >= least && value <= max
}
