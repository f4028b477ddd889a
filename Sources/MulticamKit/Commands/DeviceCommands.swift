internal import MulticamControl
internal import MulticamMedia
internal import MulticamSession
internal import MulticamSetup

extension SessionCommand {
    /// A role and the selector of the device for that role.
    package struct DeviceOfRole: Sendable, Equatable {
        let role: String
        package let selector: String
    }

    /// The controls to set on a camera, each as NAME=VALUE.
    struct Settings: Sendable, Equatable {
        let role: String
        let values: [String]
    }

    /// A preset of a camera's controls.
    struct Preset: Sendable, Equatable {
        let role: String
        let name: String
    }

    /// The roles of two cameras: the camera to adjust, and the camera that it should match.
    struct CameraMatch: Sendable, Equatable {
        let role: String
        let leader: String
    }

    /// Commands that add, remove, replace, and adjust cameras and microphones.
    static let devices = [
        SessionCommand(
            "snapshot", "[ROLE…]", "capture stills from these cameras. Default: all cameras", .blocks,
            groupUse: .allowed, parse: { words throws(ControlError) in words.words },
            perform: { roles, session, context in
                takeStills(roles, of: session, isRecording: context.isRecording)
            }),
        SessionCommand(
            "set", "ROLE NAME=VALUE…", "set controls of a camera. To list the controls, use `controls ROLE`",
            .blocks,
            groupUse: .allowed,
            parse: { words throws(ControlError) in
                guard let settings = Settings(words), !settings.values.isEmpty else {
                    throw .usage(
                        "`set` needs a role and at least one value. Example: `set desk brightness=128`.")
                }
                return settings
            },
            perform: { settings, session, _ in
                var reply = ControlCommandHandler(session).set(settings.values, of: settings.role)
                // The reply to `set` omits the values. Clients read the values with the command `controls`.
                reply.controls = nil
                return reply
            }),
        SessionCommand(
            "controls", "ROLE [NAME=VALUE…]",
            "set the specified control values of a camera, if any, and show all its controls",
            [.blocks, .showsControls],
            groupUse: .allowed,
            parse: { words throws(ControlError) in
                guard let settings = Settings(words) else {
                    throw .usage(
                        "`controls` needs a role and, optionally, values to set. Example: `controls desk brightness=128`."
                    )
                }
                return settings
            },
            perform: { settings, session, _ in
                ControlCommandHandler(session).set(settings.values, of: settings.role)
            }),
        SessionCommand(
            "load-preset", "ROLE NAME", "load a preset of this camera", .blocks, groupUse: .allowed,
            parse: Preset.init,
            perform: { preset, session, _ in ControlCommandHandler(session).load(preset) }),
        SessionCommand(
            "save-preset", "ROLE NAME", "save the current control values of a camera as a preset", .blocks,
            groupUse: .allowed, parse: Preset.init,
            perform: { preset, session, _ in ControlCommandHandler(session).save(preset) }),
        SessionCommand(
            "delete-preset", "ROLE NAME", "delete a preset of this camera", .blocks, groupUse: .allowed,
            parse: Preset.init,
            perform: { preset, session, _ in ControlCommandHandler(session).delete(preset) }),
        SessionCommand(
            "match", "ROLE CAMERA", "match a camera's exposure and white balance to another camera",
            .blocks, groupUse: .allowed,
            parse: { words throws(ControlError) in
                guard words.words.count == 2, words.words[0] != words.words[1] else {
                    throw .usage("`match` needs the roles of two cameras. Example: `match face desk`.")
                }
                return CameraMatch(role: words.words[0], leader: words.words[1])
            },
            perform: { match, session, _ in
                ControlCommandHandler(session).match(match.role, to: match.leader)
            }),
        SessionCommand(
            "select-camera", "[CAMERA]",
            "select a camera while no recording is running. Default: the camera facing the opposite direction, or the next camera",
            .blocks,
            groupUse: .conditional { selector in
                selector.isEmpty
                    ? nil
                    : "a specific camera can be selected only on the node itself. Run the command there."
            },
            // A selector may be a name with several words. An empty selector selects the next camera.
            parse: { words throws(ControlError) in words.text },
            perform: { selector, _, context in
                context.controller.standby.selectCamera(
                    selector.isEmpty ? nil : selector, context.controller.setup,
                    isStandby: context.controller.isStandby)
            }),
        SessionCommand(
            "add", "ROLE CAMERA",
            "add a camera to the recording. To show it in the program, use `unhide ROLE`",
            [.needsRecording, .blocks], groupUse: opensDevice,
            parse: { words throws(ControlError) in
                try DeviceOfRole(
                    words, else: "`add` needs a role and a camera. Example: `add guest /dev/video4`.")
            },
            perform: { device, session, context in
                let role = device.role
                return context.controller.changeDevices(
                    of: session,
                    confirmation: "Camera \(role) was added. To show it in the program, use `unhide \(role)`."
                ) { setup throws(SetupError) in
                    try setup.addCamera(.selector(device.selector), as: role, to: session)
                }
            }),
        SessionCommand(
            "replace-camera", "ROLE CAMERA",
            "replace the camera of a role without interrupting its tracks or the program",
            [.needsRecording, .blocks], groupUse: opensDevice,
            parse: { words throws(ControlError) in
                try DeviceOfRole(
                    words,
                    else:
                        "`replace-camera` needs a role and a camera. Example: `replace-camera desk /dev/video4`."
                )
            },
            perform: { device, session, context in
                context.controller.changeDevices(
                    of: session,
                    confirmation:
                        "Camera \(device.role) now uses \(SourceAddress.printable(of: device.selector))."
                ) { setup throws(SetupError) in
                    try setup.replaceCamera(of: device.role, with: .selector(device.selector), in: session)
                }
            }),
        SessionCommand(
            "add-microphone", "ROLE MICROPHONE",
            "add a microphone to the recording. To add it to the program mix, use `unmute ROLE`",
            [.needsRecording, .blocks], groupUse: opensDevice,
            parse: { words throws(ControlError) in
                try DeviceOfRole(
                    words,
                    else:
                        "`add-microphone` needs a role and a microphone. Example: `add-microphone guest default`."
                )
            },
            perform: { device, session, context in
                let role = device.role
                return context.controller.changeDevices(
                    of: session,
                    confirmation:
                        "Microphone \(role) was added. To add it to the program mix, use `unmute \(role)`."
                ) { setup throws(SetupError) in
                    try setup.addMicrophone(.selector(device.selector), as: role, to: session)
                }
            }),
    ]

    /// Takes stills, on standby in the current folder, like `multicam snapshot`. Blocks until the files are written.
    private static func takeStills(
        _ roles: [String], of session: MulticamSession, isRecording: Bool
    ) -> ControlReply {
        switch session.status.phase {
        case .standby where !isRecording: break
        case .recording where session.folderPath != nil: break
        case .starting, .recording, .standby, .finishing: return CommandContext.notRecordingReply
        }
        do throws(StillError) {
            return ControlReply(try session.writeStills(roles, in: "."))
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    private static var opensDevice: GroupUse<DeviceOfRole> {
        .refused(
            "this command can open files and network addresses, so it is allowed only on the node itself. Run it there."
        )
    }
}

extension SessionCommand.DeviceOfRole {
    /// Parses a role and a device selector. The selector may be a name with several words.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - message: The error message, as a sentence, if an argument is missing.
    /// - Throws: `ControlError.usage` if an argument is missing.
    init(_ words: CommandArguments, else message: String) throws(ControlError) {
        guard words.words.count >= 2 else { throw .usage(message) }
        (role, selector) = (words.words[0], words.words.dropFirst().joined(separator: " "))
    }
}

extension SessionCommand.Settings {
    /// Parses a role and settings; returns `nil` if the role is missing or a word isn't NAME=VALUE.
    init?(_ words: CommandArguments) {
        guard let role = words.words.first else { return nil }
        let values = Array(words.words.dropFirst())
        let areSettings = values.allSatisfy { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
        }
        guard areSettings else { return nil }
        self.init(role: role, values: values)
    }
}

extension SessionCommand.Preset {
    /// Parses a role and the name of a preset, which may have several words.
    init(_ words: CommandArguments) throws(ControlError) {
        let preset = words.words.dropFirst().joined(separator: " ")
        guard let role = words.words.first, (1...64).contains(preset.utf8.count),
            preset.printable() == preset
        else {
            throw .usage(
                "`\(words.name)` needs a role and a preset name of at most 64 bytes without control characters. Example: `\(words.name) desk evening`."
            )
        }
        self.init(role: role, name: preset)
    }
}
