internal import MulticamControl
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSession

extension SessionCommand {
    /// Commands that change the program or the devices of a session.
    ///
    /// - Parameter subject: The part of the session that the commands change.
    /// - Returns: The commands, in the order of `SessionChange.vocabulary`.
    static func changes(_ subject: SessionChange.Subject) -> [SessionCommand] {
        SessionChange.vocabulary.filter { $0.subject == subject }.map { entry in
            var properties: Properties = []
            if entry.needsRecording { properties.insert(.needsRecording) }
            if entry.ends { properties.insert(.ends) }
            return SessionCommand(
                entry.name, entry.arguments, entry.help, properties, groupUse: .allowed,
                parse: { words throws(ControlError) in
                    do throws(SessionChangeError) {
                        return try entry.change(words.words)
                    } catch {
                        throw .usage(error.description)
                    }
                },
                perform: { change, session, context in
                    do throws(SessionChangeError) {
                        try session.apply([change], at: context.arrival) { outcome in
                            context.answer(ControlReply(outcome, did: "changed: \(change)"))
                        }
                        return nil
                    } catch {
                        return ControlReply(error)
                    }
                })
        }
    }

    /// The command that turns automatic switching on and off.
    static let switching = SessionCommand(
        "switching", "MODE",
        "select the shots with commands (`manual`), or show the current speaker (`voice`). After a manual change, `voice` pauses for 10 s; `switching voice` ends the pause",
        groupUse: .allowed,
        parse: { words throws(ControlError) in
            guard words.words.count == 1, let mode = ProgramSettings.Switching(rawValue: words.text) else {
                let modes = ProfileValue.list(
                    ProgramSettings.Switching.allCases.map(\.rawValue), nearestTo: words.text)
                throw .usage("`\(words.name)`: expected `\(words.name) MODE`, where MODE is \(modes).")
            }
            return mode
        },
        perform: { mode, _, context in
            guard let switcher = context.controller.switcher else {
                return ControlReply(
                    ok: false,
                    text:
                        "This session can't switch by voice. It needs a program, two cameras, and a microphone with `camera: ROLE` in the profile."
                )
            }
            do throws(SessionChangeError) {
                try switcher.setMode(mode)
                return ControlReply(ok: true, text: "changed: switching \(mode.rawValue)")
            } catch {
                return ControlReply(error)
            }
        })

    /// Commands that save and delete scenes.
    static let scenes = [
        SessionCommand(
            "save-scene", "NAME",
            "save the current layout and audio mix as a scene in this session and in your profile",
            .blocks, groupUse: .allowed, parse: sceneName,
            perform: { name, session, context in
                context.controller.scenes.save(name, of: session, context.controller.setup)
            }),
        SessionCommand(
            "delete-scene", "NAME", "delete a scene from this session and from your profile", .blocks,
            groupUse: .allowed,
            parse: sceneName,
            perform: { name, session, context in
                context.controller.scenes.delete(name, of: session, context.controller.setup)
            }),
    ]

    @Sendable private static func sceneName(_ words: CommandArguments) throws(ControlError) -> String {
        guard !words.words.isEmpty else {
            throw .usage("`\(words.name)` needs a scene name. Example: `\(words.name) wide shot`.")
        }
        return words.text
    }
}
