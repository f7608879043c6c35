import { withBlanks } from '../../fields/blanks.ts'
import { listAt, textAt, valueAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askKlippa } from '../../vendors/klippa.ts'
import { Resume } from '../../fields/resume.ts'
import resumeParser from './feature.ts'

// https://custom-ocr.klippa.com/docs

export default adapter(resumeParser, async (task, tools) => {
  const { original, data } = await askKlippa(tools, task, '/resume')
  return { output: { extracted_data: toResume(data.parsed) }, original, units: 1 }
})

function toResume(parsed: unknown) {
  const person = valueAt(parsed, 'applicant')
  return withBlanks(Resume, {
    personal_infos: {
      name: { raw_name: textAt(person, 'name', 'value') },
      address: placeOf(person),
      phones: one(textAt(person, 'phone_number', 'value')),
      mails: one(textAt(person, 'email_address', 'value')),
      urls: listAt(person, 'websites').flatMap((site) => one(textAt(site, 'value'))),
    },
    education: { entries: listAt(parsed, 'education').map(toEducation) },
    work_experience: { entries: listAt(parsed, 'work_experience').map(toWork) },
    languages: listAt(parsed, 'languages').flatMap(named),
    skills: listAt(parsed, 'skills').flatMap(named),
    interests: listAt(parsed, 'other_interests').flatMap(named),
  })
}

function toEducation(entry: unknown) {
  return {
    title: textAt(entry, 'program', 'value'),
    establishment: textAt(entry, 'institution', 'value'),
    ...periodOf(entry),
    location: placeOf(entry),
  }
}

function toWork(entry: unknown) {
  return {
    title: textAt(entry, 'job_title', 'value'),
    company: textAt(entry, 'company_name', 'value'),
    ...periodOf(entry),
    location: placeOf(entry),
  }
}

function periodOf(entry: unknown) {
  return { start_date: textAt(entry, 'start', 'value'), end_date: textAt(entry, 'end', 'value') }
}

function placeOf(entry: unknown) {
  const city = textAt(entry, 'address', 'city', 'value')
  const country = textAt(entry, 'address', 'country', 'value')
  return city === null && country === null ? null : { city, country }
}

function named(entry: unknown): { name: string }[] {
  return one(textAt(entry, 'value')).map((name) => ({ name }))
}

function one(value: string | null): string[] {
  return value === null ? [] : [value]
}
