internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Plan
internal import Profiles

/// The addresses and tokens of a profile's live outputs, read from where they are kept.
struct PublicationKeys {
    /// The profile with all addresses in it, to be compiled. It is shown to nobody.
    let profile: Profile
    /// One sentence for each key that others may read.
    let notes: [String]
    private let tokens: [String: String]

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - profile: The profile as it was read.
    ///   - environment: The process' environment.
    /// - Throws: `ProfileError` where a file or variable is missing or does not hold what it should; it repeats no key.
    init(
        of profile: Profile, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ProfileError) {
        var (filled, notes, tokens) = (profile, [String](), [String: String]())
        func read(_ source: SecretSource, of field: String) throws(ProfileError) -> String {
            do throws(SecretSource.Lack) {
                let (text, warning) = try source.read(environment)
                if let warning { notes.append("\(field): \(warning)") }
                return text
            } catch {
                throw profile.source.error(at: field, found: error.found, expected: error.expected)
            }
        }
        for (index, publication) in profile.publications.enumerated() {
            let field = "publish.\(publication.name)"
            if let token = publication.token {
                tokens[publication.name] = try read(token, of: "\(field).token_from")
            }
            guard case .kept(let source) = publication.address else { continue }
            let text = try read(source, of: "\(field).url_from")
            do throws(DestinationAddressError) {
                filled.publications[index].address = .given(try DestinationAddress(text))
                filled.publications[index].isKeptApart = true
            } catch {
                throw profile.source.error(
                    at: "\(field).url_from", found: error.found, expected: error.expected)
            }
        }
        self.profile = filled
        self.notes = notes
        self.tokens = tokens
    }

    /// The live outputs of a plan with their addresses.
    func publications(of plan: SessionPlan) -> [Publication] {
        plan.publications.compactMap { planned in
            guard let settings = profile.publications.first(where: { $0.name == planned.name }),
                case .given(let address) = settings.address
            else { return nil }
            return Publication(
                name: planned.name, address: address, token: tokens[planned.name].map { Secret($0) },
                source: planned.source,
                start: planned.start, frames: planned.frames)
        }
    }
}
