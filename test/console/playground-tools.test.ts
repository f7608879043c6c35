import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

// The playground beyond plain chat: tools and images in chat, tasks, image models, speech.

endShared()

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

consoleTest('a person answers in the place of a tool, and the model goes on', async ({ page, base }) => {
  await page.goto(`${base}/playground?models=sandbox/tools`)
  await page.getByText('System prompt, temperature, tools').click()
  await page.getByLabel('Tools, as JSON').fill('[{"type":"function","function":{"name":"weather"}}]')
  await page.getByLabel('Message').fill('Oslo')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByLabel('What weather answers').fill(`Rain ${HOSTILE}`)
  await page.getByRole('button', { name: 'Send' }).click()
  const last = page.getByRole('article').nth(1)
  await last.getByText(`Rain ${HOSTILE}`).waitFor()
  await last.getByRole('link', { name: 'Request' }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await page.getByRole('button', { name: 'Request', exact: true }).click()
  const curl = await page.locator('pre').first().innerText()
  for (const part of ['"tool_calls"', '"tool_call_id"', 'Rain ']) assert.ok(curl.includes(part), part)
})

consoleTest('an image goes along with a message', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  await page.getByLabel('Image').setInputFiles({ name: `${HOSTILE}.png`, mimeType: 'image/png', buffer: PIXEL })
  await page.getByAltText('To be sent with the message').waitFor()
  await page.getByLabel('Message').fill('What is this?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByAltText('What was attached').waitFor()
  await page.getByRole('article').getByText('[1 image]').waitFor()
})

consoleTest('a task has a form of its fields, runs side by side, and shows what came out', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=task&project=search`)
  await page.getByLabel('Text', { exact: true }).fill(`Hello ${HOSTILE}`)
  await page.getByRole('button', { name: 'Compare with another model' }).click()
  await page.getByRole('button', { name: 'Run' }).click()
  const answer = page.getByRole('article').first()
  await answer.getByText('"nsfw_likelihood"').or(answer.locator('pre')).first().waitFor()
  await page.getByRole('article').nth(1).getByRole('link', { name: 'Request' }).waitFor()
  await page.getByText('The request as curl, TypeScript and Python').click()
  await page.getByText('import requests').waitFor()
  assert.match(await page.locator('details[open] pre').first().innerText(), /\/v3\/universal-ai/)
})

consoleTest('a file is uploaded for a task in the background, which is followed to its end', async (console) => {
  const { page, base, owner } = console
  await page.goto(`${base}/playground?view=task&task=audio/speech_to_text_async&project=search&kind=sandbox`)
  const file = { name: `${HOSTILE}.wav`, mimeType: 'audio/wav', buffer: wav() }
  await page.getByLabel('File: file of this computer').setInputFiles(file)
  await page.getByLabel('File: address or id').and(page.locator('input:valid')).waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  const answer = page.getByRole('article')
  await answer.getByText('"diarization"').waitFor()
  const path = await answer.getByRole('link', { name: 'Request' }).getAttribute('href')
  const { body } = await owner('GET', `/admin/requests/${new URL(path!, base).searchParams.get('call')}`)
  assert.match(body.key, /^console-/)
})

consoleTest('a field that is not JSON is said to be wrong before anything is sent', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=task&task=text/custom_classification&kind=sandbox`)
  await page.getByLabel('Examples').fill('not JSON')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('examples: write JSON').waitFor()
  assert.equal(await page.getByRole('article').count(), 0)
})

consoleTest('images are drawn and shown', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=image`)
  await page.getByLabel('What the image shows').fill(`A door ${HOSTILE}`)
  await page.getByLabel('How many').selectOption('2')
  await page.getByRole('button', { name: 'Draw' }).click()
  const images = page.getByRole('article').getByRole('img')
  await images.nth(1).waitFor()
  assert.equal(await page.locator('img[onerror]').count(), 0)
  const widths = await images.evaluateAll((all) => all.map((one) => (one as { naturalWidth?: number }).naturalWidth))
  assert.ok(
    widths.every((width) => width! > 0),
    `widths ${widths}`,
  )
})

consoleTest('a text is spoken, and can be listened to', async ({ page, base }) => {
  await page.goto(`${base}/playground?view=speech&models=openai/tts-1&kind=sandbox`)
  await page.getByLabel('Text to speak').fill('Mind the gap')
  await page.getByRole('button', { name: 'Speak' }).click()
  const answer = page.getByRole('article', { name: 'Answer of openai/tts-1' })
  await answer.getByRole('link', { name: 'Download' }).waitFor()
  assert.match((await answer.locator('audio').getAttribute('src'))!, /^blob:/)
})

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
