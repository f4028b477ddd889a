internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamPlan
package import MulticamProfiles

/// A live output and its address. The textual description contains no keys.
package struct LiveOutput: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Name of the live output.
    package let name: String
    /// The destination address of the live output. The address may contain a stream key.
    package let address: LiveOutputAddress
    /// The token of a WHIP endpoint, or `nil` if there is none.
    package var token: Secret?
    /// The source that is sent: `program`, or a camera's role.
    package var source: String
    /// The condition that starts the live output.
    package var start: LiveOutputSettings.Start
    /// The format of frames encoded only for this live output, or `nil` if it sends the recording's packets or only
    /// audio.
    package var frames: PlannedLiveOutput.Frames?

    /// Creates a live output. Each parameter sets the property of the same name.
    package init(
        name: String, address: LiveOutputAddress, token: Secret? = nil,
        source: String = LiveOutputSettings.program, start: LiveOutputSettings.Start = .command,
        frames: PlannedLiveOutput.Frames? = nil
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.source, self.start, self.frames) = (source, start, frames)
    }

    /// The live output as it appears in a plan, without keys.
    package var planned: PlannedLiveOutput {
        PlannedLiveOutput(
            name: name, kind: address.kind, address: address.printable, source: source, start: start,
            frames: frames)
    }

    /// The name, and the address without keys.
    package var description: String { "\(name): \(address.printable)" }
    /// The same text as `description`, so that debug output contains no keys.
    package var debugDescription: String { description }
}

/// The addresses and tokens of a profile's live outputs, read from files and environment variables.
struct LiveOutputKeys {
    /// The profile with all addresses filled in, ready to be compiled. This profile contains keys, so don't display it.
    let profile: Profile
    /// Warnings about keys that other users can read, one sentence per key.
    let notes: [String]
    private let tokens: [String: String]

    /// Reads the keys of a profile's live outputs.
    ///
    /// - Parameters:
    ///   - profile: The profile as read from its file.
    ///   - environment: The process's environment variables.
    /// - Throws: `ProfileError` if a file or variable is missing or has invalid content. The message contains no keys.
    init(
        of profile: Profile, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ProfileError) {
        var (filled, notes, tokens) = (profile, [String](), [String: String]())
        func read(_ source: SecretSource, of field: String) throws(ProfileError) -> String {
            do throws(SecretSource.ReadError) {
                let (text, warning) = try source.read(environment)
                if let warning { notes.append("\(field): \(warning)") }
                return text
            } catch {
                throw profile.source.error(at: field, found: error.found, expected: error.expected)
            }
        }
        for (index, liveOutput) in profile.liveOutputs.enumerated() {
            let field = "publish.\(liveOutput.name)"
            if let token = liveOutput.token {
                tokens[liveOutput.name] = try read(token, of: "\(field).token_from")
            }
            guard case .external(let source) = liveOutput.address else { continue }
            let text = try read(source, of: "\(field).url_from")
            do throws(AddressError) {
                filled.liveOutputs[index].address = .inline(try LiveOutputAddress(text))
                filled.liveOutputs[index].hasExternalAddress = true
            } catch {
                throw profile.source.error(
                    at: "\(field).url_from", found: error.found, expected: error.expected)
            }
        }
        self.profile = filled
        self.notes = notes
        self.tokens = tokens
    }

    /// Returns the live outputs of a plan with their addresses.
    func liveOutputs(of plan: SessionPlan) -> [LiveOutput] {
        plan.liveOutputs.compactMap { planned in
            guard let settings = profile.liveOutputs.first(where: { $0.name == planned.name }),
                case .inline(let address) = settings.address
            else { return nil }
            return LiveOutput(
                name: planned.name, address: address, token: tokens[planned.name].map { Secret($0) },
                source: planned.source,
                start: planned.start, frames: planned.frames)
        }
    }
}
