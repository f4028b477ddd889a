internal import Media

/// Configuration of the group's broker in nats-server syntax.
///
/// Each node has a separate account, which isolates it. A node reaches only the subjects that its account imports. The
/// broker delivers answers to a node's requests only within its account. This restriction includes acknowledgments of
/// stored events, because the node chooses their reply subject. The account `group` contains the streams, the computer
/// that serves the group, and the members that may start recordings. (docs.nats.io, "Multi Tenancy using Accounts".)
struct BrokerConfiguration {
    let folder: GroupFolder
    let settings: GroupSettings
    let members: [GroupMember]

    /// Maximum number of connections per node: the node's connection, connections of `multicam group status`, and some
    /// that the network has dropped.
    private static let mostConnections = 8

    private var subjects: GroupSubjects { GroupSubjects(group: settings.name) }
    private var nodes: [GroupMember] { members.filter { !$0.isCoordinator } }

    /// Text of the configuration file.
    var text: String {
        """
        # Written by `multicam group serve` at each start: changes made here are lost.
        server_name: \(quoted("multicam-\(settings.name)"))
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
        accounts {
        \(groupAccount)
        \(nodes.map { nodeAccount($0) }.joined(separator: "\n"))
        }

        """
    }

    /// API requests that a node may send to the broker's store, to read the current recording and its last event.
    private var nodeRequests: [String] {
        let store = "KV_" + GroupSubjects.bucket
        return [
            "STREAM.INFO.\(store)", "STREAM.MSG.GET.\(store)",
            "DIRECT.GET.\(store).$KV.\(GroupSubjects.bucket).\(subjects.recordingKey)",
            "STREAM.MSG.GET.\(subjects.stream)",
        ]
    }

    private var groupAccount: String {
        let users =
            ["{ user: \(quoted(GroupName.server(of: settings.name))) }"]
            + members.filter(\.isCoordinator).map { coordinator($0) }
        let exports =
            [
                "{ service: \(quoted(subjects.event(of: "*"))) }",
                "{ stream: \(quoted(subjects.state(of: "*"))) }",
            ]
            + nodeRequests.map { "{ service: \(quoted("$JS.API." + $0)) }" }
        let imports = nodes.flatMap { node in
            [
                "{ service: { account: \(accountName(of: node)), subject: \(quoted(subjects.command(to: node.name))) } }",
                "{ stream: { account: \(accountName(of: node)), subject: \(quoted(subjects.state(of: node.name))) } }",
            ]
        }
        return """
                group: { jetstream: enabled
                    users: [
                        \(users.joined(separator: "\n            "))
                    ]
                    exports: [
                        \(exports.joined(separator: "\n            "))
                    ]
                    imports: [
                        \(imports.joined(separator: "\n            "))
                    ]
                }
            """
    }

    /// Returns the user entry of a member that is both a coordinator and a node.
    private func coordinator(_ member: GroupMember) -> String {
        let name = member.name
        let publish = [
            subjects.prefix + "command.*", subjects.event(of: name), subjects.state(of: name),
            subjects.coordinator(name), "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*",
            "$JS.API.DIRECT.GET.>",
            "$KV.\(GroupSubjects.bucket).\(settings.name).>",
        ]
        let subscribe = [
            subjects.inbox(of: name) + ".>", subjects.command(to: name), subjects.prefix + "state.*",
            subjects.prefix + "coordinator.*",
        ]
        return user(member, publish: publish, subscribe: subscribe)
    }

    private func nodeAccount(_ node: GroupMember) -> String {
        let name = node.name
        let publish =
            [subjects.event(of: name), subjects.state(of: name)]
            + nodeRequests.map { "\(GroupSubjects.nodeStore).\($0)" }
        let subscribe = [
            subjects.inbox(of: name) + ".>", subjects.command(to: name), subjects.prefix + "state.*",
        ]
        let imports =
            ["{ service: { account: group, subject: \(quoted(subjects.event(of: name))) } }"]
            + nodeRequests.map {
                "{ service: { account: group, subject: \(quoted("$JS.API." + $0)) }, to: \(quoted("\(GroupSubjects.nodeStore).\($0)")) }"
            }
            + members.filter { $0.name != name }.map { other in
                let account = other.isCoordinator ? "group" : accountName(of: other)
                return
                    "{ stream: { account: \(account), subject: \(quoted(subjects.state(of: other.name))) } }"
            }
        return """
                \(accountName(of: node)): { limits: { max_connections: \(Self.mostConnections) }
                    users: [
                        \(user(node, publish: publish, subscribe: subscribe))
                    ]
                    exports: [
                        { service: \(quoted(subjects.command(to: name))), accounts: [group] }
                        { stream: \(quoted(subjects.state(of: name))) }
                    ]
                    imports: [
                        \(imports.joined(separator: "\n            "))
                    ]
                }
            """
    }

    private func accountName(of node: GroupMember) -> String { "node-\(node.name)" }

    private func user(_ member: GroupMember, publish: [String], subscribe: [String]) -> String {
        let name = GroupName.user(member.name, identity: member.identity, of: settings.name)
        let lists = [publish, subscribe].map { $0.map(quoted).joined(separator: ", ") }
        return """
            { user: \(quoted(name)), permissions: {
                            publish: { allow: [\(lists[0])] }
                            subscribe: { allow: [\(lists[1])] }
                            allow_responses: { max: 1, expires: "1m" } } }
            """
    }

    /// Returns a text as a quoted string in nats-server's configuration syntax.
    private func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }

    /// Writes the configuration to `broker.conf` in the group's folder.
    ///
    /// - Throws: `GroupError` if the file can't be written.
    func write() throws(GroupError) { try folder.write(text, to: "broker.conf") }
}
