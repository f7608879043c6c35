import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

// The playground beyond plain chat: tools and images in chat, tasks, image models, speech.

endShared()

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

consoleTest('a tool has a form that checks its schema, and the model goes on with its result', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/playground?models=sandbox/tools`)
  await page.getByRole('button', { name: 'Add a tool' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('weather')
  const wrong = {
    'not JSON': 'this is not valid JSON',
    '{ "type": "string" }': 'needs "type": "object"',
    '{ "type": "object", "properties": { "city": { "type": "text" } } }': 'the type "text"',
    '{ "type": "object", "properties": {}, "required": ["city"] }': 'names "city"',
  }
  for (const [schema, problem] of Object.entries(wrong)) {
    await form.getByLabel('Parameters').fill(schema)
    await form.getByRole('status').getByText(problem).waitFor()
    assert.ok(await form.getByRole('button', { name: 'Add' }).isDisabled())
  }
  await form.getByLabel('Parameters').fill('{ "type": "object", "properties": { "city": { "type": "string" } } }')
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Change the tool weather' }).waitFor()
  await page.getByLabel('Message').fill('Oslo')
  await page.keyboard.press('Enter')
  await page.getByText('weather(').waitFor()
  await page.getByLabel('Result of weather').fill(`Rain ${HOSTILE}`)
  await page.getByRole('button', { name: 'Send tool results' }).click()
  const last = page.getByRole('article').nth(1)
  await last.getByText(`Rain ${HOSTILE}`).waitFor()
  await last.getByRole('link', { name: 'Request' }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await page.getByRole('button', { name: 'Open as code' }).click()
  const code = page.getByLabel('Samples').locator('pre')
  for (const part of ['"tool_calls"', '"tool_call_id"', 'Rain ', '"city"'])
    assert.ok((await code.innerText()).includes(part), part)
  await page.getByLabel('Format').selectOption('messages')
  for (const part of ['"tool_use"', '"tool_result"', '"input_schema"'])
    assert.ok((await code.innerText()).includes(part), part)
})

consoleTest('images are attached by file, paste and drop, up to five, and go along with a message', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/playground`)
  const file = { name: `${HOSTILE}.png`, mimeType: 'image/png', buffer: PIXEL }
  await page.getByLabel('Attach images').setInputFiles(file)
  await page.getByAltText('Attachment 1 to send').waitFor()
  for (const kind of ['paste', 'drop'] as const) await page.evaluate(transferOf(kind, 'image/png'))
  await page.getByAltText('Attachment 3 to send').waitFor()
  await page.getByRole('button', { name: 'Remove image 3' }).click()
  await page.getByLabel('Attach images').setInputFiles(Array(4).fill(file))
  await page.getByRole('alert').getByText('up to 5 images').waitFor()
  await page.evaluate(transferOf('drop', 'text/plain'))
  await page.getByRole('alert').getByText('is not an image').waitFor()
  await page.getByLabel('Message').fill('What is this?')
  await page.keyboard.press('Enter')
  await page.getByAltText('Attachment 2').waitFor()
  await page
    .getByRole('article')
    .getByText('[2 images]')
    .or(page.getByRole('article').getByText('[1 image]'))
    .first()
    .waitFor()
})

/** Runs in the page: a file that comes from the clipboard or from another window. */
function transferOf(kind: 'paste' | 'drop', type: string): string {
  return `(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${PIXEL.toString('base64')}'), (one) => one.charCodeAt(0))
    data.items.add(new File([bytes], 'pixel', { type: '${type}' }))
    const options = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data }
    const event = '${kind}' === 'paste' ? new ClipboardEvent('paste', options) : new DragEvent('drop', options)
    document.querySelector('.composer textarea').dispatchEvent(event)
  })()`
}

consoleTest('a task has a form of its fields, runs side by side, and shows what came out', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=task&project=search`)
  await page.getByLabel('Text', { exact: true }).fill(`Hello ${HOSTILE}`)
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('option', { name: /^text\/moderation\/sandbox/ }).click()
  await page.getByLabel('Text', { exact: true }).press('Control+Enter')
  const answer = page.getByRole('article').first()
  await answer.getByText('"nsfw_likelihood"').or(answer.locator('pre')).first().waitFor()
  await page.getByRole('article').nth(1).getByRole('link', { name: 'Request' }).waitFor()
  await page.getByRole('article').nth(1).getByText('Sandbox', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Open as code' }).click()
  assert.match(await page.getByLabel('Samples').locator('pre').innerText(), /\/v3\/universal-ai/)
})

consoleTest('a file is transcribed in the background, and the job is followed to its end', async (console) => {
  const { page, base, owner } = console
  await page.goto(`${base}/playground?view=transcription&project=search`)
  const file = { name: `${HOSTILE}.wav`, mimeType: 'audio/wav', buffer: wav() }
  const field = page.getByRole('group', { name: 'File', exact: true })
  await field.getByLabel('Upload a file').setInputFiles(file)
  await field.getByLabel('or a URL or file id').and(page.locator('input:valid')).waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  const answer = page.getByRole('article')
  await answer.getByText('"diarization"').waitFor()
  const path = await answer.getByRole('link', { name: 'Request' }).getAttribute('href')
  const { body } = await owner('GET', `/admin/requests/${new URL(path!, base).searchParams.get('call')}`)
  assert.match(body.key, /^console-/)
})

consoleTest('a recording is made with the microphone, heard, and uploaded', async ({ page, base }) => {
  await page.context().grantPermissions(['microphone'])
  await page.goto(`${base}/playground?view=transcription`)
  await page.getByRole('button', { name: 'Record' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  const field = page.getByRole('group', { name: 'File', exact: true })
  await field.locator('audio[src^="blob:"]').waitFor()
  await field.getByLabel('or a URL or file id').and(page.locator('input:valid')).waitFor()
})

consoleTest('a field that is not JSON is said to be wrong before anything is sent', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=task&task=text/custom_classification&kind=sandbox`)
  await page.getByLabel('Examples').fill('not JSON')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('examples: write JSON').waitFor()
  assert.equal(await page.getByRole('article').count(), 0)
})

consoleTest('images are made, shown and downloaded', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=image`)
  await page.getByLabel('Prompt').fill(`A door ${HOSTILE}`)
  await page.getByLabel('Number of images').selectOption('2')
  await page.getByRole('button', { name: 'Generate' }).click()
  const images = page.getByRole('article').getByRole('img')
  await images.nth(1).waitFor()
  assert.equal(await page.locator('img[onerror]').count(), 0)
  const widths = await images.evaluateAll((all) => all.map((one) => (one as { naturalWidth?: number }).naturalWidth))
  assert.ok(
    widths.every((width) => width! > 0),
    `widths ${widths}`,
  )
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download image 2' }).click()
  assert.equal((await download).suggestedFilename(), 'image-2.png')
})

consoleTest(
  'a text is spoken by the engine of the machine and by a model, and both are heard',
  async ({ page, base }) => {
    await page.goto(`${base}/playground?view=speech&models=audio/tts/local,openai/tts-1&kind=sandbox`)
    await page.getByLabel('Text to speak').fill('Mind the gap')
    await page.getByRole('button', { name: 'Generate' }).click()
    const local = page.getByRole('article', { name: 'Answer of audio/tts/local' })
    await local.getByRole('link', { name: 'Download' }).waitFor()
    const model = page.getByRole('article', { name: 'Answer of openai/tts-1' })
    assert.match((await model.locator('audio').getAttribute('src'))!, /^blob:/)
    await page.evaluate(UNTIL_PLAYABLE)
  },
)

/** In the page, whose policy forbids what `waitForFunction` does when it looks a second time. */
const UNTIL_PLAYABLE = `new Promise((resolve, reject) => {
  const audio = document.querySelector('article audio')
  if (audio.readyState > 0) return resolve()
  audio.addEventListener('loadedmetadata', () => resolve())
  audio.addEventListener('error', () => reject(audio.error))
})`

/** A tenth of a second of silence. */
function wav(): Buffer {
  const [rate, samples] = [8_000, 800]
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples, 40)
  return Buffer.concat([head, Buffer.alloc(samples, 128)])
}
