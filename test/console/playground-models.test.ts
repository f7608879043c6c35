import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'

// Which models the playground offers, and what it begins with.

endShared()

consoleTest('every view begins with something that works without a provider', async ({ page, base }) => {
  const first = { '': 'sandbox/echo', image: 'sandbox/image', speech: 'audio/tts/local' }
  for (const [view, model] of Object.entries(first)) {
    await page.goto(`${base}/playground?view=${view}`)
    await page.getByRole('button', { name: `Model 1: ${model}` }).waitFor()
    const isMarked = await page.getByRole('group', { name: 'Models' }).getByText('Sandbox', { exact: true }).count()
    assert.equal(isMarked, model.startsWith('sandbox/') ? 1 : 0, model)
  }
  await page.goto(`${base}/playground?view=task&task=ocr/ocr`)
  await page.getByRole('button', { name: 'Model 1: ocr/ocr/local' }).waitFor()
  await page.goto(`${base}/playground?view=transcription`)
  await page.getByRole('button', { name: 'Model 1: audio/speech_to_text_async/sandbox' }).waitFor()
  assert.deepEqual(
    [await page.getByLabel('Billed to').count(), await page.getByLabel('Mode').locator('option').allInnerTexts()],
    [1, ['Live', 'Sandbox (free)']],
  )
})

consoleTest('the picker has prices, context and capabilities, and names what is not set up', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  await page.getByRole('button', { name: /^Model 1/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('link', { name: 'Set up Anthropic' }).waitFor()
  const states = await dialog.getByRole('option').locator('small:nth-child(2)').allInnerTexts()
  assert.deepEqual(
    states,
    states.toSorted((a, b) => Number(a === 'Not set up') - Number(b === 'Not set up')),
  )
  await dialog.getByRole('combobox').fill('openai gpt-5.4 vision')
  const option = dialog.getByRole('option', { name: /^openai\/gpt-5\.4-mini/ })
  await option.getByText(/^\$[\d.]+ in, \$[\d.]+ out per 1M · [\d.]+K context · tools/).waitFor()
  await option.getByText('Not set up').waitFor()
  await option.click()
  await page.getByRole('button', { name: /^Model 1: openai\/gpt-5\.4-mini/ }).waitFor()
  await page.getByRole('group', { name: 'Models' }).getByRole('link', { name: 'Set up OpenAI' }).waitFor()
})

consoleTest('a provider without a key leads to the form for one, and the conversation waits', async (console) => {
  const { page, base, expect } = console
  expect(/status of 424/)
  await page.goto(`${base}/playground?models=mistral/mistral-large-latest`)
  await page.getByLabel('Message').fill('Hello')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('has no credential here.').waitFor()
  assert.doesNotMatch(await alert.innerText(), /POST|restart/)
  await alert.getByRole('link', { name: 'Set up Mistral' }).click()
  await page.getByRole('heading', { name: 'Mistral' }).first().waitFor()
  assert.match(page.url(), /\/models\?provider=mistral$/)
  await page.goBack()
  await page.getByRole('button', { name: 'Retry mistral/mistral-large-latest' }).waitFor()
})

consoleTest(
  'a person who may not set up providers is told who may',
  async ({ page, base, owner, gateway }) => {
    await invited(owner, gateway, { email: 'player@example.com', role: 'member' })
    const data = { email: 'player@example.com', password: PASSWORD }
    await page.context().request.post(`${base}/admin/sessions`, { data })
    await page.goto(`${base}/playground?models=openai/gpt-5`)
    await page.getByText('An owner or an admin can set up OpenAI.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Explain' }).count(), 0)
  },
  { signedIn: false },
)
