import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

// Keys that do something anywhere on the screen. A key alone can be turned off: speech and some tools type by accident.
// A layout effect listens as soon as the screen is there: with an effect, a key that is pressed before the next picture is lost.

const STORED = 'shortcuts'

export const areSingleKeysOn = signal(localStorage.getItem(STORED) !== 'off')

export function turnSingleKeys(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? 'on' : 'off')
  areSingleKeysOn.value = isOn
}

/** `page`: not while a dialog is open. `dialog`: only then. */
type Place = 'page' | 'dialog'

/** A key alone, when the person is not typing. */
export function useShortcut(key: string, run: (() => void) | undefined, place: Place = 'page'): void {
  useLayoutEffect(() => {
    if (!run) return
    const pressed = (event: KeyboardEvent) => {
      if (!areSingleKeysOn.value || event.key !== key || isWithModifier(event) || isTyping(event)) return
      if ((document.querySelector('dialog[open]') !== null) !== (place === 'dialog')) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [key, run, place])
}

/** Ctrl and a letter, or ⌘ on a Mac, also while the person is typing. */
export function useControlKey(letter: string, run: () => void): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== letter) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [letter, run])
}

function isWithModifier({ ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || repeat
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
