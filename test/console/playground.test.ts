import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a chat is streamed from two models side by side, with cost and time', async ({ page, base, owner }) => {
  await page.goto(`${base}/playground?project=search`)
  await page.getByRole('button', { name: 'Compare with another model' }).click()
  await page.getByLabel('Model 2', { exact: true }).fill('sandbox/tools')
  await page.getByLabel('Model 2', { exact: true }).blur()
  await page.getByLabel('Message').fill(`Hello ${HOSTILE}`)
  await page.getByRole('button', { name: 'Send' }).click()
  const answer = page.getByRole('article', { name: 'Answer of sandbox/echo' })
  await answer.getByText(`Hello ${HOSTILE}`).waitFor()
  await answer.getByText('tokens').waitFor()
  await answer.getByText('$0', { exact: true }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await page.getByRole('article', { name: 'Answer of sandbox/tools' }).getByRole('link', { name: 'Request' }).waitFor()
  const { body } = await owner('GET', '/admin/requests?model=sandbox/echo&project=search&limit=1')
  assert.match(body.items[0].key, /^console-/)
})

consoleTest('the conversation goes on, and is shown as a request for programs', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  for (const text of ['First', 'Second']) {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('article').getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
  }
  await page.getByText('System prompt, temperature, tools').click()
  await page.getByLabel('System prompt').fill('Be brief.')
  await page.getByRole('button', { name: 'Request', exact: true }).click()
  const curl = await page.locator('pre').first().innerText()
  assert.match(curl, /curl .*\/v3\/chat\/completions/)
  for (const part of ['Be brief.', 'First', 'Second', '"assistant"']) assert.ok(curl.includes(part), part)
  await page.getByText('from openai import OpenAI').waitFor()
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByRole('button', { name: 'Explain sandbox/echo' }).click()
  await page.getByText('1. sandbox/echo at sandbox').waitFor()
})

consoleTest('an answer keeps the name of its model, and a tool call is shown', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  await page.getByText('System prompt, temperature, tools').click()
  const send = async (text: string) => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  await page.getByLabel('Tools, as JSON').fill('not JSON')
  await send('First')
  await page.getByRole('alert').getByText('write a JSON list').waitFor()
  await page.getByLabel('Tools, as JSON').fill('[{"type":"function","function":{"name":"weather"}}]')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article', { name: 'Answer of sandbox/echo' }).getByRole('link', { name: 'Request' }).waitFor()
  await page.getByLabel('Model 1', { exact: true }).fill('sandbox/tools')
  await send('Second')
  await page.getByText('weather(', { exact: false }).waitFor()
  const titles = await page.getByRole('article').getByRole('heading').allInnerTexts()
  assert.deepEqual(titles, ['sandbox/echo', 'sandbox/tools'])
})

consoleTest('an answer that takes too long is stopped, and refusals are shown', async ({ page, base, expect }) => {
  expect(/status of 404/)
  await page.goto(`${base}/playground?models=sandbox/silent,sandbox/no-such-model`)
  await page.getByLabel('Message').fill('Hello')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped it.').waitFor()
})
