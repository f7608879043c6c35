import { withBlanks } from '../../fields/blanks.ts'
import { affindaEntries, affindaText, askAffinda } from '../../vendors/affinda.ts'
import { numberAt, textAt, valueAt } from '../../results/loose-fields.ts'
import { Resume } from '../../fields/resume.ts'
import { adapter } from '../../feature.ts'
import resumeParser from './feature.ts'

// https://docs.affinda.com/resumes: the fields of its resume extractor. Every field has the printed text in `raw`, and what it
// means in `parsed`; the parts of a group are fields themselves.

export default adapter(resumeParser, async (task, tools) => {
  const { original, data } = await askAffinda(tools, task, 'resume')
  return { output: { extracted_data: toResume(data) }, original, units: 1 }
})

function toResume(data: unknown) {
  const years = numberAt(data, 'totalYearsExperience', 'parsed')
  return withBlanks(Resume, {
    personal_infos: personOf(data),
    education: { entries: affindaEntries(data, 'education').map(toEducation) },
    work_experience: {
      total_years_experience: years === null ? null : String(years),
      entries: affindaEntries(data, 'workExperience').map(toWork),
    },
    languages: affindaEntries(data, 'language').flatMap(toLanguage),
    skills: affindaEntries(data, 'skill').flatMap(toSkill),
    certifications: [...namesIn(data, 'certification'), ...namesIn(data, 'achievement')],
    courses: namesIn(data, 'training'),
    publications: [...namesIn(data, 'publication'), ...namesIn(data, 'publications')],
    interests: namesIn(data, 'hobby'),
  })
}

function personOf(data: unknown) {
  const name = valueAt(data, 'candidateName')
  const part = (field: string) => affindaText(valueAt(name, 'parsed'), field)
  return {
    name: {
      raw_name: textAt(name, 'raw'),
      first_name: part('candidateNameFirst'),
      middle: part('candidateNameMiddle'),
      last_name: part('candidateNameFamily'),
      title: part('candidateNameTitle'),
      sufix: part('candidateNameSuffix'),
    },
    address: locationOf(valueAt(data, 'location')),
    phones: affindaEntries(data, 'phoneNumber').flatMap((phone) => presentIn(textAt(phone, 'raw') ?? numberIn(phone))),
    mails: namesIn(data, 'email').map((mail) => mail.name),
    urls: affindaEntries(data, 'website').flatMap((site) => presentIn(textAt(site, 'raw') ?? addressIn(site))),
    self_summary: affindaText(data, 'summary'),
    objective: affindaText(data, 'objective'),
    date_of_birth: affindaText(data, 'dateOfBirth'),
    nationality: affindaText(data, 'nationality'),
    availability: affindaText(data, 'availability'),
    current_profession: textAt(data, 'profession') ?? affindaText(data, 'profession'),
  }
}

function locationOf(location: unknown) {
  if (typeof location !== 'object' || location === null) return null
  const part = (field: string) => textAt(location, 'parsed', field)
  return {
    formatted_location: part('formatted'),
    raw_input_location: part('rawInput') ?? textAt(location, 'raw'),
    postal_code: part('postalCode'),
    region: part('state'),
    country: part('country'),
    country_code: part('countryCode'),
    street: part('street'),
    street_number: part('streetNumber'),
    appartment_number: part('apartmentNumber'),
    city: part('city'),
  }
}

function toEducation(entry: unknown) {
  const fields = valueAt(entry, 'parsed')
  const accreditation = affindaText(fields, 'educationAccreditation')
  return {
    title: accreditation ?? affindaText(fields, 'educationLevel'),
    accreditation,
    description: affindaText(fields, 'educationMajor') ?? affindaText(fields, 'educationDescription'),
    establishment: affindaText(fields, 'educationOrganization'),
    ...periodOf(fields, 'educationDateRange'),
    gpa: affindaText(fields, 'educationGrade'),
    location: locationOf(valueAt(fields, 'educationLocation')),
  }
}

function toWork(entry: unknown) {
  const fields = valueAt(entry, 'parsed')
  return {
    title: affindaText(fields, 'workExperienceJobTitle') ?? affindaText(fields, 'jobTitle'),
    company: affindaText(fields, 'workExperienceOrganization'),
    ...periodOf(fields, 'workExperienceDateRange'),
    description: affindaText(fields, 'workExperienceDescription') ?? affindaText(fields, 'jobDescription'),
    location: locationOf(valueAt(fields, 'workExperienceLocation')),
    type: affindaText(fields, 'workExperienceType'),
  }
}

function periodOf(fields: unknown, name: string) {
  return {
    start_date: textAt(fields, name, 'parsed', 'start', 'date'),
    end_date: textAt(fields, name, 'parsed', 'end', 'date'),
  }
}

function toLanguage(entry: unknown) {
  const code = textAt(entry, 'parsed', 'languageName', 'parsed', 'value')
  const name = textAt(entry, 'parsed', 'languageName', 'raw') ?? textAt(entry, 'raw')
  return name === null ? [] : [{ name, code }]
}

function toSkill(entry: unknown) {
  const name = textAt(entry, 'parsed', 'name') ?? textAt(entry, 'parsed') ?? textAt(entry, 'raw')
  return name === null ? [] : [{ name, type: textAt(entry, 'parsed', 'type') }]
}

function namesIn(data: unknown, field: string): { name: string }[] {
  return affindaEntries(data, field).flatMap((entry) => {
    return presentIn(textAt(entry, 'parsed') ?? textAt(entry, 'raw')).map((name) => ({ name }))
  })
}

function numberIn(phone: unknown): string | null {
  return textAt(phone, 'parsed', 'formattedNumber') ?? textAt(phone, 'parsed')
}

function addressIn(site: unknown): string | null {
  return textAt(site, 'parsed', 'url') ?? textAt(site, 'parsed')
}

function presentIn(value: string | null): string[] {
  return value === null ? [] : [value]
}
