import asyncHooks, { type AsyncHook } from 'node:async_hooks'

// `test()` finds the test it stands in through a hook that follows every promise and handle of the process: an eighth of
// the CPU of all tests. It is needed while a file is loaded; a test that runs knows its parent. What a test throws where
// nobody catches it then has no test either, which is why a group says of which file it is.

const { createHook } = asyncHooks
let hook: AsyncHook | undefined

// `node:test` takes it when it is first imported, which must be after this.
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  hook = createHook(callbacks)
  return hook
}

export async function withParentSearch(load: () => Promise<unknown>): Promise<void> {
  hook?.enable()
  try {
    await load()
  } finally {
    hook?.disable()
  }
}
