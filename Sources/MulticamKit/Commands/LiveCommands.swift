internal import MulticamControl
internal import MulticamMedia
internal import MulticamProfiles

extension SessionCommand {
    /// The live output that the command `publish` starts.
    enum PublishTarget: Sendable, Equatable {
        /// The name of a live output in the profile.
        case entry(String)
        /// An address without a key, or an address read from standard input.
        case address(LiveOutputAddress)
        /// An address to be read from the client's standard input, because other users can see command-line arguments.
        case standardInput
    }

    /// Commands that start and stop live outputs.
    static let live = [
        SessionCommand(
            "publish", "NAME|-|ADDRESS",
            "start a live output: NAME from the profile, an address read from standard input (`-`), or a virtual camera or microphone (v4l2:NODE or pulse:TEXT)",
            .isImmediate,
            groupUse: .conditional { place in
                if case .entry = place { return nil }
                return
                    "the address of a live output can be set only on the node itself. Specify the name of a live output that the node's profile defines."
            },
            parse: { words throws(ControlError) in try PublishTarget(words) },
            perform: { place, _, context in context.controller.withPublisher { $0.performPublish(place) } }),
        SessionCommand(
            "unpublish", "NAME", "stop a live output", .isImmediate, groupUse: .allowed,
            parse: { words throws(ControlError) in
                guard words.words.count == 1 else {
                    throw .usage(
                        "`unpublish` needs the name of a live output. List them with `status`. Example: `unpublish show`."
                    )
                }
                return words.words[0]
            },
            perform: { name, _, context in context.controller.withPublisher { $0.performUnpublish(name) } }),
    ]
}

extension SessionCommand.PublishTarget {
    /// Parses the arguments of `publish`. Error messages don't repeat the arguments, because they may contain a key.
    init(_ words: CommandArguments) throws(ControlError) {
        let text = words.text
        if text == "-" {
            guard let input = words.input else {
                self = .standardInput
                return
            }
            self = .address(try Self.address(input))
        } else if Profile.isValidRole(text) {
            self = .entry(text)
        } else if text.hasPrefix("v4l2:") || text.hasPrefix("pulse:") {
            self = .address(try Self.address(text))
        } else if text.contains(":") {
            throw .usage(
                "addresses are not accepted as arguments, because other users can see command-line arguments, and an address can contain a secret key. Use `publish -` and standard input, or `url_from` in the profile."
            )
        } else {
            throw .usage(
                "`publish` needs the name of a live output of the profile, `-` for an address on standard input, v4l2:NODE, or pulse:TEXT. Example: `publish show`."
            )
        }
    }

    private static func address(_ text: String) throws(ControlError) -> LiveOutputAddress {
        do throws(AddressError) {
            return try LiveOutputAddress(text)
        } catch {
            throw .usage(error.description)
        }
    }
}
