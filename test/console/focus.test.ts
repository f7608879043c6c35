import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { consoleTest, endShared } from './checked-page.ts'

// Where a person with a keyboard or a screen reader is before, in and after every dialog.

endShared()

/** Dialogs with fields: the screen, the button that opens one, and the field that is first. */
const FORMS = [
  ['/keys', 'New key', 'Name'],
  ['/projects', 'New project', 'Name'],
  ['/projects?view=people', 'Invite', 'E-mail'],
  ['/budgets', 'New budget', undefined],
  ['/models?view=aliases', 'New alias', 'Name'],
  ['/webhooks', 'Send a test', undefined],
] as const

const FOCUS = `(() => {
  const at = document.activeElement
  return { tag: at.tagName, text: at.closest('label')?.firstChild.textContent.trim() ?? at.textContent.trim() }
})()`

function focusOf(page: Page): Promise<{ tag: string; text: string }> {
  return page.evaluate(FOCUS)
}

consoleTest('a dialog begins in its first field, and gives the focus back to its button', async ({ page, base }) => {
  for (const [path, name, field] of FORMS) {
    await page.goto(base + path)
    const button = page.getByRole('button', { name })
    await button.focus()
    const before = await focusOf(page)
    for (const leave of ['Escape', 'Close']) {
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      const { tag, text } = await focusOf(page)
      assert.match(tag, /^(INPUT|SELECT|TEXTAREA)$/, `${path}: ${text}`)
      if (field) assert.equal(text, field, path)
      if (leave === 'Escape') await page.keyboard.press('Escape')
      else await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      assert.deepEqual(await focusOf(page), before, `${path}, ${leave}`)
    }
  }
})

consoleTest('a drawer begins at its title, and gives the focus back to its row', async ({ page, base }) => {
  for (const path of ['/requests?last=30d', '/keys', '/projects', '/audit']) {
    await page.goto(base + path)
    const link = page.getByRole('table').getByRole('link').first()
    await link.focus()
    const before = await focusOf(page)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    assert.equal((await focusOf(page)).tag, 'H2', path)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await focusOf(page), before, path)
  }
})

consoleTest('after a drawer that an address has opened, the focus is at its row', async (console) => {
  const { page, base, owner } = console
  const { body } = await owner('POST', '/admin/keys', { name: 'of an address', project: 'search' })
  await page.goto(`${base}/keys?key=${body.id}`)
  await page.getByRole('dialog').getByRole('heading', { name: 'Limits' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(await focusOf(page), { tag: 'A', text: 'of an address' })
})

consoleTest('a question before a deletion has the focus, and so has what follows it', async ({ page, base, owner }) => {
  const { body } = await owner('POST', '/admin/keys', { name: 'asked twice', project: 'search' })
  await page.goto(`${base}/keys?key=${body.id}`)
  const action = page.getByRole('button', { name: 'Revoke', exact: true })
  await action.press('Enter')
  await page.getByRole('button', { name: 'Revoke key' }).waitFor()
  assert.deepEqual(await focusOf(page), { tag: 'BUTTON', text: 'Revoke key' })
  await action.press('Enter')
  await page.getByRole('button', { name: 'Revoke key' }).waitFor({ state: 'detached' })
  assert.deepEqual(await focusOf(page), { tag: 'BUTTON', text: 'Revoke' })
  await action.press('Enter')
  await page.getByRole('button', { name: 'Revoke key' }).press('Enter')
  await page.getByRole('dialog').getByText('revoked', { exact: true }).waitFor()
  assert.deepEqual(await focusOf(page), { tag: 'H2', text: 'asked twice' })
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

consoleTest('the next step of a dialog has the focus', async ({ page, base }) => {
  await page.goto(`${base}/keys`)
  await page.getByRole('button', { name: 'New key' }).press('Enter')
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await page.getByText('it is shown only once').waitFor()
  assert.deepEqual(await focusOf(page), { tag: 'H2', text: 'Your new key' })
})

consoleTest('the form of a drawer that an address has opened begins in its first field', async (console) => {
  const { page, base, owner } = console
  const guardrail = { name: 'Focus', applies_to: 'all', checks: [{ check: 'secrets' }], action: 'flag', mode: 'shadow' }
  const { id } = (await owner('POST', '/admin/guardrails', guardrail)).body
  await page.goto(`${base}/guardrails?guardrail=${id}`)
  await page.getByRole('button', { name: 'Edit' }).press('Enter')
  await page.getByRole('button', { name: 'Save' }).waitFor()
  assert.deepEqual(await focusOf(page), { tag: 'INPUT', text: 'Name' })
  assert.equal((await owner('DELETE', `/admin/guardrails/${id}`)).status, 204)
})

consoleTest('the focus is not lost with what is added to a form or removed from it', async ({ page, base }) => {
  await page.goto(`${base}/guardrails?new=guardrail`)
  await page.getByRole('combobox', { name: 'Check', exact: true }).selectOption('secrets')
  await page.getByRole('button', { name: 'Add check' }).press('Enter')
  assert.deepEqual(await focusOf(page), { tag: 'SELECT', text: 'Another check' })
  await page.getByRole('button', { name: 'Remove the check Secrets' }).press('Enter')
  await page.getByRole('combobox', { name: 'Check', exact: true }).waitFor()
  assert.deepEqual(await focusOf(page), { tag: 'SELECT', text: 'Check' })
  await page.goto(`${base}/mcp?new=server`)
  await page.getByRole('combobox', { name: 'Available to' }).selectOption('some')
  await page.getByRole('combobox', { name: 'Project', exact: true }).selectOption('search')
  await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
  assert.deepEqual(await focusOf(page), { tag: 'SELECT', text: 'Add' })
  await page.getByRole('button', { name: /^Remove project/ }).press('Enter')
  await page.getByRole('button', { name: /^Remove project/ }).waitFor({ state: 'detached' })
  assert.deepEqual(await focusOf(page), { tag: 'SELECT', text: 'Available to' })
})
