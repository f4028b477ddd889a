internal import Media

/// The configuration of the group's broker, in the words of nats-server.
struct BrokerConfiguration {
    let folder: GroupFolder
    let settings: GroupSettings
    let members: [GroupMember]

    /// The configuration file. Each member may say only what is its own: its events, its state, and commands to others.
    var text: String {
        let group = settings.name
        var users = ["    { user: \(quoted(GroupName.user("serving", of: group))) }"]
        users += members.map { member in
            let (name, subjects) = (member.name, GroupSubjects(group: group))
            let publish =
                [
                    subjects.prefix + "command.>", subjects.event(of: name), subjects.state(of: name),
                    subjects.conductor(name), "$JS.API.INFO", "$JS.API.STREAM.INFO.*",
                    "$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.>",
                    "$KV.\(GroupSubjects.bucket).\(group).>",
                ]
            let subscribe = [
                subjects.inbox(of: name) + ".>", subjects.command(to: name), subjects.commandToAll,
                subjects.prefix + "state.*", subjects.prefix + "conductor.*", subjects.prefix + "event.*",
            ]
            return """
                    { user: \(quoted(GroupName.user(name, of: group))), permissions: {
                        publish: { allow: [\(publish.map(quoted).joined(separator: ", "))] }
                        subscribe: { allow: [\(subscribe.map(quoted).joined(separator: ", "))] }
                        allow_responses: { max: 4, expires: "1m" } } }
                """
        }
        return """
            # Written by `multicam group serve` anew each time: what you change here is lost.
            server_name: \(quoted("multicam-\(group)"))
            listen: \(quoted("[::]:\(settings.port)"))
            pid_file: \(quoted(folder.file("broker.pid")))
            max_connections: 256
            max_payload: 1048576
            write_deadline: "5s"
            ping_interval: "2s"
            ping_max: 2
            jetstream { store_dir: \(quoted(folder.file("store"))), max_memory_store: 67108864, max_file_store: 4294967296 }
            tls {
                cert_file: \(quoted(folder.file(GroupFolder.broker.certificate)))
                key_file: \(quoted(folder.file(GroupFolder.broker.key)))
                ca_file: \(quoted(folder.file(GroupFolder.authority.certificate)))
                verify_and_map: true
                timeout: 5
            }
            authorization { users: [
            \(users.joined(separator: "\n"))
            ] }

            """
    }

    /// A text in the quotes of nats-server's configuration.
    private func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }

    /// Writes it as `broker.conf` into the group's folder.
    ///
    /// - Throws: `GroupError` when it cannot be written.
    func write() throws(GroupError) { try folder.write(text, to: "broker.conf") }
}
