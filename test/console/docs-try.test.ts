import assert from 'node:assert/strict'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { endShared } from './checked-page.ts'
import { answerOf, docsTest, openOperation, pasteKey, sendAndWait } from './docs-pages.ts'
import { HOSTILE } from './seed.ts'

endShared()

const said = (content: string, more: object = {}) =>
  JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content }], ...more })

/** Runs in the page. */
async function widthOf(element: object): Promise<number> {
  const image = element as { decode(): Promise<void>; naturalWidth: number }
  await image.decode()
  return image.naturalWidth
}

docsTest('a chat is sent with the pasted key, which nothing keeps', async ({ page, base }) => {
  await openOperation(page, base, 'postChatCompletions')
  await pasteKey(page, API_KEY)
  await page.getByLabel('Body, as JSON').fill(said(`Hello ${HOSTILE}`))
  await sendAndWait(page)
  await answerOf(page).getByText('200', { exact: true }).waitFor()
  const shown = await answerOf(page).locator('pre').innerText()
  const reply = JSON.parse(shown) as { choices: [{ message: { content: string } }] }
  assert.equal(reply.choices[0].message.content, `Hello ${HOSTILE}`)
  await answerOf(page).getByText('Headers').click()
  await answerOf(page).getByText('x-gatehouse-model').waitFor()
  assert.equal(await page.locator('img').count(), 0)
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
  )
  assert.doesNotMatch(String(kept), new RegExp(API_KEY))
  assert.ok(!(await page.locator('.samples').innerText()).includes(API_KEY))
  await page.reload()
  await page.locator('article h1').waitFor()
  assert.equal(await page.getByLabel('API key').inputValue(), '')
})

docsTest('a stream is shown as it arrives, joined and as events', async ({ page, base }) => {
  await openOperation(page, base, 'postChatCompletions')
  await pasteKey(page, API_KEY)
  await page.getByLabel('Body, as JSON').fill(said(`one two ${HOSTILE}`, { stream: true }))
  await sendAndWait(page)
  assert.equal(await answerOf(page).locator('.joined').innerText(), `one two ${HOSTILE}`)
  await answerOf(page)
    .getByText(/^\d+ events$/)
    .click()
  await answerOf(page).getByText('data: [DONE]').waitFor()
  assert.equal(await page.locator('img').count(), 0)
})

docsTest('other formats of streams are joined, too', async ({ page, base }) => {
  const bodies = {
    postV1Messages: { model: 'sandbox/echo', max_tokens: 50, messages: [{ role: 'user', content: 'joined' }] },
    postResponses: { model: 'sandbox/echo', input: 'joined' },
  }
  await openOperation(page, base, 'postChatCompletions')
  await pasteKey(page, API_KEY)
  for (const [id, body] of Object.entries(bodies)) {
    await page.evaluate(`location.hash = '${id}'`)
    await page.locator(`.contents a[href="#${id}"][aria-current]`).waitFor()
    await page.getByLabel('Body, as JSON').fill(JSON.stringify({ ...body, stream: true }))
    await sendAndWait(page)
    assert.equal(await answerOf(page).locator('.joined').innerText(), 'joined', id)
  }
})

docsTest('an answer that takes too long is stopped', async ({ page, base }) => {
  await openOperation(page, base, 'postChatCompletions')
  await pasteKey(page, API_KEY)
  await page.getByLabel('Body, as JSON').fill(said('Hello').replace('sandbox/echo', 'sandbox/silent'))
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this request.').waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
})

docsTest('a file is uploaded, listed and read again', async ({ page, base }) => {
  await openOperation(page, base, 'postUpload')
  await pasteKey(page, API_KEY)
  const file = { name: `${HOSTILE}.txt`, mimeType: 'text/plain', buffer: Buffer.from('from the docs page') }
  await page.getByLabel('file', { exact: true }).setInputFiles(file)
  await sendAndWait(page)
  await answerOf(page).getByText('200', { exact: true }).waitFor()
  const { file_id } = JSON.parse(await answerOf(page).locator('pre').innerText()) as { file_id: string }
  await page.evaluate("location.hash = 'getUploadByFileIdContent'")
  await page.getByLabel('file_id').fill(file_id)
  await sendAndWait(page)
  await answerOf(page).getByText('from the docs page').or(answerOf(page).getByText('Save (')).waitFor()
  assert.equal(await page.locator('img').count(), 0)
})

docsTest('an image is shown, and speech can be played', async ({ page, base, owner }) => {
  const { body } = await owner('POST', '/admin/keys', { name: 'docs page', kind: 'sandbox' })
  await openOperation(page, base, 'postImagesGenerations')
  await pasteKey(page, body.key)
  await page
    .getByLabel('Body, as JSON')
    .fill(JSON.stringify({ model: 'sandbox/image', prompt: 'A door', response_format: 'b64_json' }))
  await sendAndWait(page)
  const image = answerOf(page).getByAltText('The image-1')
  await image.waitFor()
  assert.ok((await image.evaluate(widthOf)) > 0)
  await page.evaluate("location.hash = 'postAudioSpeech'")
  await page.getByRole('heading', { level: 1, name: 'Create speech' }).waitFor()
  await sendAndWait(page)
  await answerOf(page)
    .getByRole('link', { name: /^Save \(audio\// })
    .waitFor()
  await answerOf(page).locator('audio').waitFor()
})

docsTest('refusals are readable', async ({ page, base, expect }) => {
  expect(/status of 4(01|22)/)
  await openOperation(page, base, 'postChatCompletions')
  await pasteKey(page, 'no such key')
  await sendAndWait(page)
  await answerOf(page).getByText('401', { exact: true }).waitFor()
  await answerOf(page).getByText('Paste another key above').waitFor()
  await pasteKey(page, API_KEY)
  await page.getByLabel('Body, as JSON').fill('{ "model": "sandbox/echo", "messages": "x" }')
  await sendAndWait(page)
  await answerOf(page).getByText('422', { exact: true }).waitFor()
  await answerOf(page).getByText('"detail"').waitFor()
  await page.getByLabel('Body, as JSON').fill('{ "model": ')
  await page.getByText('Not JSON yet').waitFor()
})
