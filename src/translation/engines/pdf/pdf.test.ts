import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainPdf } from '../../../base/sniff/fixtures/pdfs.ts'
import { readPdf } from './pdf.ts'

const CONTENT = 'BT /F1 24 Tf 72 700 Td <4E2D65875B57> Tj ET'
const INFO = '/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>'
const DESCRIPTOR = '/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 6>>'

test('a file that numbers its letters as Chinese files do is read', async () => {
  const bytes = plainPdf({
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    4: `<</Length ${CONTENT.length}>>\nstream\n${CONTENT}\nendstream`,
    5: '<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[6 0 R]>>',
    6: `<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light${INFO}${DESCRIPTOR}>>`,
  })
  const [page] = (await readPdf({ bytes })).pages
  assert.deepEqual(
    page!.lines.map(({ text }) => text),
    ['中文字'],
  )
})
