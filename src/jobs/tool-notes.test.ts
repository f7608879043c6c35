import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolNotebook, type ToolNotes } from './tool-notes.ts'

test('tools are stored one after the other, each once, and with those before', async () => {
  const saved: ToolNotes[] = []
  const notebook = new ToolNotebook(async (notes) => {
    // A store that takes longer for the first.
    if (saved.length === 0) await new Promise(setImmediate)
    saved.push(notes)
  })
  await Promise.all(['close', 'count', 'close'].map(notebook.add))
  assert.deepEqual(saved, [{ tools: ['close'] }, { tools: ['close', 'count'] }])
  assert.deepEqual(notebook.tools, ['close', 'count'])
})

test('a tool that could not be stored has not been called', async () => {
  const notebook = new ToolNotebook(async () => {
    throw new Error('The store is away.')
  })
  await assert.rejects(notebook.add('close'), /away/)
  assert.deepEqual(notebook.tools, [])
})
