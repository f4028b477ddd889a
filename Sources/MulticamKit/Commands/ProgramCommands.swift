internal import MulticamControl
internal import MulticamMedia
internal import MulticamPlan
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
                        try session.commit([change], at: context.arrival) { outcome in
                            context.answer(ControlReply(outcome, did: "changed: \(change)"))
                        }
                        return nil
                    } catch {
                        return ControlReply(error)
                    }
                })
        }
    }

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
