import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

// Chats of the playground.

endShared()

const answerOf = (page: Page, model: string) => page.getByRole('article', { name: `Answer of ${model}` })
const isFocused = (one: Locator) => one.evaluate((element) => element === element.ownerDocument.activeElement)

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

consoleTest('a chat is streamed from two models side by side, with cost, time and tokens', async (console) => {
  const { page, base, owner } = console
  await page.goto(`${base}/playground?project=search`)
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('combobox', { name: 'Search models' }).fill('sandbox/tools')
  await page.getByRole('option', { name: /^sandbox\/tools/ }).waitFor()
  await page.keyboard.press('Enter')
  // What is typed before the dialog has closed is typed into it.
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await say(page, `Hello ${HOSTILE}`)
  const answer = answerOf(page, 'sandbox/echo')
  await answer.getByText(`Hello ${HOSTILE}`).waitFor()
  for (const fact of [/^\d+ in, \d+ out tokens$/, /^first token/, /^\$0$/]) await answer.getByText(fact).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await answerOf(page, 'sandbox/tools').getByRole('link', { name: 'Request' }).waitFor()
  const { body } = await owner('GET', '/admin/requests?model=sandbox/echo&project=search&limit=1')
  assert.match(body.items[0].key, /^console-/)
  await page.getByRole('button', { name: 'Remove sandbox/tools' }).click()
  assert.ok(await isFocused(page.getByRole('button', { name: 'Add a model' })), 'the focus stays in the list')
})

consoleTest('two, three and four answers stand in an even grid', async ({ page, base }) => {
  const rowsOf = async (count: number) => {
    await page.goto(`${base}/playground?models=${Array(count).fill('sandbox/echo')}`)
    await say(page, 'Hello')
    await page
      .getByRole('article')
      .nth(count - 1)
      .getByRole('link', { name: 'Request' })
      .waitFor()
    const boxes = await Promise.all((await page.getByRole('article').all()).map((one) => one.boundingBox()))
    return Object.values(Object.groupBy(boxes, (box) => String(Math.round(box!.y)))).map((row) => row!.length)
  }
  assert.deepEqual(await rowsOf(2), [2])
  assert.deepEqual(await rowsOf(4), [2, 2])
  assert.deepEqual(await rowsOf(3), [2, 1])
  await page.setViewportSize({ width: 2_000, height: 900 })
  assert.deepEqual(await rowsOf(3), [3])
  const beside = await page.getByRole('complementary', { name: 'Settings' }).boundingBox()
  await page.setViewportSize({ width: 390, height: 900 })
  const below = await page.getByRole('complementary', { name: 'Settings' }).boundingBox()
  assert.ok(beside!.x > 1_000 && below!.x < 50, 'settings are beside the conversation, on a phone below it')
})

const MARKDOWN = `## Steps

Use **bold**, \`code\` and <b>no HTML</b> <img src=x onerror=alert(1)>.

1. [a page](https://example.com/a)
2. [no page](javascript:alert(1))

| city | degrees |
|---|---|
| Oslo | 3 |

\`\`\`ts
const answer = 42 // sure
\`\`\``

consoleTest(
  'an answer is Markdown: elements, colours and copies, and no markup of the model',
  async ({ page, base }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${base}/playground`)
    await say(page, MARKDOWN)
    const answer = answerOf(page, 'sandbox/echo')
    await answer.getByRole('link', { name: 'Request' }).waitFor()
    assert.equal(await answer.getByRole('heading', { name: 'Steps' }).count(), 1)
    assert.equal(await answer.locator('strong').innerText(), 'bold')
    assert.equal(await answer.locator('b, img').count(), 0)
    assert.ok((await answer.innerText()).includes('<b>no HTML</b> <img src=x onerror=alert(1)>'))
    const link = answer.getByRole('link', { name: 'a page' })
    assert.deepEqual(
      [await link.getAttribute('href'), await link.getAttribute('rel')],
      ['https://example.com/a', 'noopener noreferrer'],
    )
    assert.equal(await answer.locator('a[href^="javascript"]').count(), 0)
    assert.equal(await answer.getByRole('cell', { name: 'Oslo' }).count(), 1)
    assert.equal(await answer.locator('.code-word').innerText(), 'const')
    await answer.getByRole('button', { name: 'Copy the code' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'const answer = 42 // sure')
  },
)

consoleTest('the conversation goes on, and is code in five languages and two formats', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  for (const text of ['First', 'Second']) {
    await say(page, text)
    await page.getByRole('article').last().getByRole('link', { name: 'Request' }).waitFor()
  }
  await page.getByLabel('System prompt').fill('Be brief.')
  await page.getByRole('button', { name: 'Open as code' }).click()
  const card = page.getByRole('dialog').getByLabel('Samples')
  const curl = await card.locator('pre').innerText()
  assert.match(curl, /curl .*\/v3\/chat\/completions/)
  for (const part of ['Be brief.', 'First', 'Second', '"assistant"']) assert.ok(curl.includes(part), part)
  const shown = {
    Go: 'package main',
    Java: 'public class Sample',
    Python: 'import requests',
    TypeScript: 'await fetch',
  }
  for (const [language, text] of Object.entries(shown)) {
    await card.getByRole('button', { name: language, exact: true }).click()
    assert.ok((await card.locator('pre').innerText()).includes(text), language)
  }
  await card.getByLabel('with openai').check()
  assert.match(await card.locator('pre').innerText(), /import OpenAI/)
  await page.getByLabel('Format').selectOption('messages')
  await card.getByText('with @anthropic-ai/sdk').waitFor()
  const anthropic = await card.locator('pre').innerText()
  for (const part of ['new Anthropic', 'system: "Be brief."', 'max_tokens: 1024'])
    assert.ok(anthropic.includes(part), part)
  await page.keyboard.press('Escape')
  assert.ok(await isFocused(page.getByRole('button', { name: 'Open as code' })))
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByRole('button', { name: 'Explain sandbox/echo' }).click()
  await page.getByText('1. sandbox/echo at sandbox').waitFor()
})

consoleTest('a message is edited, an answer is asked for again, and a reset empties all', async ({ page, base }) => {
  await page.goto(`${base}/playground`)
  for (const text of ['One', 'Two']) {
    await say(page, text)
    await page.getByRole('article').last().getByRole('link', { name: 'Request' }).waitFor()
  }
  const before = await page.getByRole('article').last().getByRole('link', { name: 'Request' }).getAttribute('href')
  await page.getByRole('button', { name: 'Retry sandbox/echo' }).last().click()
  await page.locator(`article:last-child a[href*="call="]:not([href="${before}"])`).last().waitFor()
  assert.equal(await page.getByRole('article').count(), 2)
  await page.getByRole('button', { name: 'Edit this message' }).first().click()
  const edited = page.getByLabel('Edit the message')
  assert.ok(await isFocused(edited))
  await edited.fill('Three')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('Three').waitFor()
  assert.equal(await page.getByRole('article').count(), 1, 'what came after it is gone')
  // Another screen does not end the conversation.
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Playground' }).click()
  await page.getByRole('article').getByText('Three').waitFor()
  await page.getByRole('button', { name: 'Reset' }).click()
  assert.equal(await page.getByRole('article').count(), 0)
})

consoleTest('Enter sends, Shift and Enter does not, the focus stays, and the answer is announced', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/playground`)
  const message = page.getByLabel('Message')
  await message.fill('One')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Two')
  assert.equal(await message.inputValue(), 'One\nTwo')
  // Nothing is sent before the models are known.
  await page.locator('button:enabled', { hasText: /^Send$/ }).waitFor()
  await page.keyboard.press('Enter')
  await page
    .getByRole('status')
    .getByText(/^sandbox\/echo answered: One\s+Two$/)
    .waitFor()
  assert.deepEqual([await message.inputValue(), await isFocused(message)], ['', true])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keyboard' }).click()
  await page.getByText('Start a new line in the message').waitFor()
})

consoleTest('an answer that takes too long is stopped, and refusals are shown', async ({ page, base, expect }) => {
  expect(/status of 404/)
  await page.goto(`${base}/playground?models=sandbox/silent,sandbox/no-such-model`)
  await say(page, 'Hello')
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Message').press('Escape')
  await page.getByText('You stopped this request.').waitFor()
  await page.getByRole('button', { name: 'Retry sandbox/silent' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this request.').waitFor()
  assert.ok(await isFocused(page.getByLabel('Message')))
})
