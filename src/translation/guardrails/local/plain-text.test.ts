import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlainForm, plainText } from './plain-text.ts'

test('every character of the plain form is found again in the text, however it is cut', () => {
  const text = 'a\u200b\u200bb\ufb03c𝐱\u{e0061}\u00a0ｄe\u0301\ufb01\u00ad'
  assert.equal(plainText(text), 'abfficx defi')
  const chars = [...text]
  for (let cut = 0; cut <= chars.length; cut++) {
    const form = new PlainForm(0)
    const plain = form.add(chars.slice(0, cut).join('')) + form.add(chars.slice(cut).join(''))
    assert.equal(plain, plainText(text), String(cut))
    for (let at = 0; at < plain.length; at++) {
      const char = text.slice(form.beginOf(at), form.endOf(at + 1))
      assert.ok(plainText(char).includes(plain[at]!), `${cut} ${at}`)
      const before = Math.min(form.endOf(at), form.beginOf(at))
      const behind = at + 1 < plain.length ? Math.max(form.beginOf(at + 1), form.endOf(at + 1)) : text.length
      const around = text.slice(before, behind)
      assert.equal(form.differs(at, at + 1), plainText(around) !== around, `${cut} ${at}`)
    }
  }
})

test('what is decided is forgotten, and what follows stands where it did', () => {
  const form = new PlainForm(100)
  form.add('a\u200bb\u200bc')
  form.forget(2)
  assert.deepEqual([form.beginOf(2), form.endOf(3)], [104, 105])
})
