import { withBlanks } from '../../fields/blanks.ts'
import { listAt, numberAt, textAt, textsAt, valueAt } from '../../results/loose-fields.ts'
import { adapter } from '../../feature.ts'
import { askAffinda } from '../../vendors/affinda.ts'
import { Resume } from '../../fields/resume.ts'
import resumeParser from './feature.ts'

// https://docs.affinda.com/reference: the fields of its resume extractor

export default adapter(resumeParser, async (task, tools) => {
  const { original, data } = await askAffinda(tools, task, 'resume')
  return { output: { extracted_data: toResume(data) }, original, units: 1 }
})

function toResume(data: unknown) {
  const years = numberAt(data, 'totalYearsExperience')
  return withBlanks(Resume, {
    personal_infos: personOf(data),
    education: { entries: listAt(data, 'education').map(toEducation) },
    work_experience: {
      total_years_experience: years === null ? null : String(years),
      entries: listAt(data, 'workExperience').map(toWork),
    },
    languages: textsAt(data, 'languages').map((name) => ({ name })),
    skills: listAt(data, 'skills').flatMap(toSkill),
    certifications: textsAt(data, 'certifications').map((name) => ({ name })),
    publications: textsAt(data, 'publications').map((name) => ({ name })),
  })
}

function personOf(data: unknown) {
  return {
    name: {
      raw_name: textAt(data, 'name', 'raw'),
      first_name: textAt(data, 'name', 'first'),
      middle: textAt(data, 'name', 'middle'),
      last_name: textAt(data, 'name', 'last'),
      title: textAt(data, 'name', 'title'),
    },
    address: locationOf(valueAt(data, 'location')),
    phones: textsAt(data, 'phoneNumbers'),
    mails: textsAt(data, 'emails'),
    urls: textsAt(data, 'websites'),
    self_summary: textAt(data, 'summary'),
    objective: textAt(data, 'objective'),
    date_of_birth: textAt(data, 'dateOfBirth'),
    current_profession: textAt(data, 'profession'),
  }
}

function locationOf(place: unknown) {
  if (typeof place !== 'object' || place === null) return null
  return {
    formatted_location: textAt(place, 'formatted'),
    raw_input_location: textAt(place, 'rawInput'),
    postal_code: textAt(place, 'postalCode'),
    region: textAt(place, 'state'),
    country: textAt(place, 'country'),
    country_code: textAt(place, 'countryCode'),
    street: textAt(place, 'street'),
    street_number: textAt(place, 'streetNumber'),
    appartment_number: textAt(place, 'apartmentNumber'),
    city: textAt(place, 'city'),
  }
}

function toEducation(entry: unknown) {
  return {
    title: textAt(entry, 'accreditation', 'inputStr') ?? textAt(entry, 'accreditation', 'education'),
    accreditation: textAt(entry, 'accreditation', 'education'),
    establishment: textAt(entry, 'organization'),
    start_date: textAt(entry, 'dates', 'startDate'),
    end_date: textAt(entry, 'dates', 'completionDate'),
    gpa: textAt(entry, 'grade', 'value'),
    location: locationOf(valueAt(entry, 'location')),
  }
}

function toWork(entry: unknown) {
  return {
    title: textAt(entry, 'jobTitle'),
    company: textAt(entry, 'organization'),
    start_date: textAt(entry, 'dates', 'startDate'),
    end_date: textAt(entry, 'dates', 'endDate'),
    description: textAt(entry, 'jobDescription'),
    location: locationOf(valueAt(entry, 'location')),
  }
}

/** `hard_skill` and `soft_skill`. */
function toSkill(skill: unknown) {
  const name = textAt(skill, 'name')
  return name === null ? [] : [{ name, type: textAt(skill, 'type')?.replace(/_skill$/, '') ?? null }]
}
